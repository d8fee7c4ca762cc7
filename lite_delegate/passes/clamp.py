"""Clamps: the nodes that move numbers into a range, whatever they are called."""

from __future__ import annotations

import math

import numpy as np

from ..basics.data_class import dataclass
from ..ir import DataType, Node, Primitive, Value, make_primitive
from .framework.draft import Draft

NO_LOWER = float(np.finfo(np.float32).tiny)
"""As ``min_val`` of HARD_TANH: no lower bound."""
NO_UPPER = float(np.finfo(np.float32).max)
"""As ``max_val`` of HARD_TANH: no upper bound."""
LARGEST = 3.4028234e38
"""The largest float32, rounded down: converters write it as the upper bound of a clamp without one."""
_RANGES = {"RELU": (0.0, math.inf), "RELU6": (0.0, 6.0), "RELU1": (-1.0, 1.0)}
_NAMES = {(0.0, math.inf): "RELU", (0.0, 6.0): "RELU6"}


@dataclass(frozen=True, slots=True)
class Clamp:
    """``min(max(x, low), high)``.

    Attributes:
        low, high: the range; infinite without a bound.
        source: ``x``; where the clamp is fused into a node, that node's result.
        inside: the node that the clamp is fused into; None where it is a node of its own.
    """

    low: float
    high: float
    source: Value
    inside: Node | None = None


def clamp_of(node: Node, draft: Draft) -> Clamp | None:
    """The clamp that a node is or ends with; None without a clamp, or where its bounds are no constants."""
    source = node.inputs[0] if node.inputs else None
    if source is None or not node.outputs:
        return None
    if node.op_type == "Clip":
        return _clip(node, source, draft)
    attributes = node.primitive.attributes()
    name = attributes.get("activation_type", "")
    if node.op_type == "Activation":
        bounds = _hard_tanh(attributes) if name == "HARD_TANH" else _RANGES.get(name)
        return None if bounds is None else Clamp(*bounds, source)
    return Clamp(*_RANGES[name], node.outputs[0], node) if name in _RANGES else None


def activation_of(clamp: Clamp, dtype: DataType) -> Primitive | None:
    """The Activation that a clamp of real numbers is: RELU, RELU6, or HARD_TANH with its bounds.

    None where HARD_TANH cannot say the range: a bound that means none to it or that its float32 does not hold, or an
    empty range.

    NOTE: an upper bound of the largest float32 counts as none, so an infinity stays one; not for float64.

    Args:
        clamp: the range.
        dtype: of the numbers.
    """
    low, high = _in_float32(clamp.low), _in_float32(clamp.high)
    if dtype == DataType.FLOAT64 and (low, high) != (clamp.low, clamp.high):
        return None
    if dtype != DataType.FLOAT64 and high >= LARGEST:
        high = math.inf
    if not low < high or low == NO_LOWER or high == NO_UPPER:
        return None
    if (low, high) in _NAMES:
        return make_primitive("Activation", activation_type=_NAMES[low, high])
    bounds = (NO_LOWER if low == -math.inf else low), (NO_UPPER if high == math.inf else high)
    if not bounds[0] < bounds[1]:
        return None
    return make_primitive("Activation", activation_type="HARD_TANH", min_val=bounds[0], max_val=bounds[1])


def _in_float32(bound: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(bound))


def _hard_tanh(attributes: dict[str, float]) -> tuple[float, float]:
    low, high = attributes["min_val"], attributes["max_val"]
    return -math.inf if low == NO_LOWER else low, math.inf if high == NO_UPPER else high


def _clip(node: Node, source: Value, draft: Draft) -> Clamp | None:
    attributes = node.primitive.attributes()
    bounds: list[float] = [attributes["min"], attributes["max"]]
    for position, value in enumerate(node.inputs[1:3]):
        if value is not None:
            data = draft.constant(value)
            if data is None or data.size != 1:
                return None
            bounds[position] = float(data.reshape(()))
    return Clamp(bounds[0], bounds[1], source)
