"""LayerNormFusion as means, differences and a quotient."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ....ir import DataType, Node, Value
from ....ir.primitives import LayerNormFusion
from ..facts import RewriteFacts
from .parts import NodeParts, parts_for

LEAST = 2.0**-10
"""The least divisor of differences: the smallest epsilon, divided by it, is still above 0 in float16."""
MOST_PLAIN = 256
"""Elements of a group, up to which float16 has the squares of differences that are divided by their mean size."""


def layer_norm_parts(node: Node, facts: RewriteFacts) -> Iterator[Sequence[Node]]:
    """``u / sqrt(mean(u * u) + epsilon / m^2) * gamma + beta``, ``d`` the difference from the mean, ``u = d / m``.

    The result is the same for every ``m``. With one of the size of ``d``, no square exceeds float16, and none that
    counts vanishes in it; a group of equal elements gives 0. For float32 alone, whose last bits may differ.
    """
    primitive, parts, shape = node.primitive, parts_for(node, facts), facts.shape(node.inputs[0])
    assert isinstance(primitive, LayerNormFusion)
    if parts is None or not shape or 0 in shape or parts.x.dtype != DataType.FLOAT32 or not primitive.epsilon >= 0:
        return
    affine = [facts.constant(value) for value in node.inputs[1:]]
    if len(affine) not in (0, 2) or any(data is None for data in affine):
        return
    _normalize(parts, primitive.epsilon, range(primitive.begin_norm_axis % len(shape), len(shape)), shape)
    for op_type, data in zip(("MulFusion", "AddFusion"), affine, strict=False):
        assert data is not None
        parts.of(op_type, parts.last, parts.constant(data.reshape((1,) * (len(shape) - data.ndim) + data.shape)))
    yield parts.done()


def _normalize(parts: NodeParts, epsilon: float, axes: Sequence[int], shape: Sequence[int]) -> None:
    means = tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    over = parts.ints(*axes)

    def mean(of: Value) -> Value:
        return parts.of("ReduceFusion", of, over, shape=means, mode="ReduceMean", keep_dims=True)

    d = parts.of("SubFusion", parts.x, mean(parts.x))
    size = mean(parts.of("Abs", d))
    scale = 2.0 ** math.ceil(math.log2(math.prod(shape[axis] for axis in axes) / MOST_PLAIN))
    if scale > 1:
        size = parts.of("MulFusion", size, parts.number(scale), shape=means)
    size = parts.of("Maximum", size, parts.number(LEAST), shape=means)
    u = parts.of("DivFusion", d, size)
    variance = mean(parts.of("Square", u))
    root = parts.of("DivFusion", parts.number(math.sqrt(epsilon)), size, shape=means)
    total = parts.of("AddFusion", variance, parts.of("Square", root, shape=means), shape=means)
    parts.of("DivFusion", u, parts.of("Sqrt", total, shape=means))
