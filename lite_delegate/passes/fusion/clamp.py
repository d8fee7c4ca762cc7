"""Clamps: the nodes that move numbers into a range, whatever they are called."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...ir import Node, Value
from ..draft import Draft

_ACTIVATIONS = {"RELU": (0.0, math.inf), "RELU6": (0.0, 6.0), "RELU1": (-1.0, 1.0)}


@dataclass(frozen=True, slots=True)
class Clamp:
    """``min(max(x, low), high)``.

    Attributes:
        low, high: the range; infinite where there is no bound.
        source: ``x``; where the clamp is fused into a node, that node's result.
        inside: the node that the clamp is fused into; None where it is a node of its own.
    """

    low: float
    high: float
    source: Value
    inside: Node | None = None


def clamp_of(node: Node, draft: Draft) -> Clamp | None:
    """The clamp that a node is or ends with; None where there is none, or its bounds are no constants."""
    if not draft.is_plain(node) or not node.inputs or node.inputs[0] is None:
        return None
    if node.op_type == "Clip":
        return _clip(node, draft)
    bounds = _ACTIVATIONS.get(node.primitive.attributes().get("activation_type", ""))
    if bounds is None:
        return None
    if node.op_type == "Activation":
        return Clamp(*bounds, node.inputs[0])
    return Clamp(*bounds, node.outputs[0], node)


def _clip(node: Node, draft: Draft) -> Clamp | None:
    attributes = node.primitive.attributes()
    bounds: list[float] = [attributes["min"], attributes["max"]]
    for position, value in enumerate(node.inputs[1:3]):
        if value is not None:
            data = draft.constant(value)
            if data is None or data.size != 1:
                return None
            bounds[position] = float(data.reshape(()))
    source = node.inputs[0]
    return None if source is None else Clamp(bounds[0], bounds[1], source)
