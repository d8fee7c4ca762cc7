"""Activations as their input times a gate, or as a clamp."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ....ir import Node, Value
from ....ir.primitives import Activation
from ..facts import RewriteFacts
from .clamps import clamp_parts
from .parts import NodeParts, parts_for

FAST_GELU_SLOPE = 1.702


def activation_parts(node: Node, facts: RewriteFacts) -> Iterator[Sequence[Node]]:
    """Forms of the types that devices lack most often.

    1. HSWISH: ``x`` times HSIGMOID, as the reference computes it.
    2. HSIGMOID, the one of HSWISH too: RELU6 of ``x + 3``, divided by 6 or, where a device cannot, times 1/6, which
       may differ in the last bit.
    3. SWISH: ``x`` times SIGMOID. FAST_GELU: ``x`` times SIGMOID of ``1.702 x``.
    4. HARD_TANH, RELU1: see ``clamp_parts``.
    """
    assert isinstance(node.primitive, Activation)
    name = node.primitive.activation_type.name
    for make in _FORMS.get(name, ()):
        parts = parts_for(node, facts)
        if parts is not None:
            make(parts)
            yield parts.done()
    if name in ("HARD_TANH", "RELU1"):
        yield from clamp_parts(node, facts)


def _gated(gate: Callable[[NodeParts], Value]) -> Callable[[NodeParts], Value]:
    return lambda parts: parts.of("MulFusion", parts.x, gate(parts))


def _activated(name: str) -> Callable[[NodeParts], Value]:
    return lambda parts: parts.of("Activation", parts.x, activation_type=name)


def _steep_sigmoid(parts: NodeParts) -> Value:
    steep = parts.of("MulFusion", parts.x, parts.number(FAST_GELU_SLOPE))
    return parts.of("Activation", steep, activation_type="SIGMOID")


def _relu6_of_sum(parts: NodeParts) -> Value:
    return parts.of("Activation", parts.of("AddFusion", parts.x, parts.number(3.0)), activation_type="RELU6")


def _divided(parts: NodeParts) -> Value:
    return parts.of("DivFusion", _relu6_of_sum(parts), parts.number(6.0))


def _multiplied(parts: NodeParts) -> Value:
    return parts.of("MulFusion", _relu6_of_sum(parts), parts.number(1 / 6))


_FORMS: dict[str, Sequence[Callable[[NodeParts], Value]]] = {
    "FAST_GELU": (_gated(_steep_sigmoid),),
    "HSIGMOID": (_divided, _multiplied),
    "HSWISH": (_gated(_activated("HSIGMOID")), _gated(_divided), _gated(_multiplied)),
    "SWISH": (_gated(_activated("SIGMOID")),),
}
"""By activation type, the most exact one first."""
