"""ONNX's reductions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from lite_delegate_kernels import UNKNOWN

from ....ir import Value
from ...rejection import Why
from ..conversion import Converter, OnnxNode

ReductionStep = Callable[[OnnxNode, Value], Value]


def _axes(node: OnnxNode) -> Value | None:
    """The axes as an operand; None for all of them. They are an attribute in older versions."""
    listed = node.get("axes", None)
    given = node.ints(listed) if listed else node.optional(1)
    if given is None:
        return None
    count = node.spec(given).shape
    node.reject_unless(count is not None and UNKNOWN not in count, Why.SHAPE, "the number of axes must be known")
    return None if count == (0,) else given


def _reduce(node: OnnxNode, x: Value, mode: str) -> Value:
    axes = _axes(node)
    if axes is None and node.get("noop_with_empty_axes", 0):
        return x
    return node.emit("ReduceFusion", x, axes, mode=mode, keep_dims=bool(node.get("keepdims", 1)))


def _reduction(mode: str, alone: ReductionStep | None = None) -> Converter:
    """A mode of ours; ``alone`` is what it does to each element where nothing is reduced."""

    def reduce(node: OnnxNode) -> Value:
        if alone is not None and node.get("noop_with_empty_axes", 0) and _axes(node) is None:
            return alone(node, node.x())
        return _reduce(node, node.x(), mode)

    return reduce


def _extreme(mode: str, of_booleans: Callable[[OnnxNode], Value]) -> Converter:
    return lambda node: of_booleans(node) if node.dtype(node.x()) == np.bool_ else _reduce(node, node.x(), mode)


def _all(node: OnnxNode) -> Value:
    return _reduce(node, node.x(), "ReduceAll")


def _any(node: OnnxNode) -> Value:
    return node.emit("LogicalNot", _reduce(node, node.emit("LogicalNot", node.x()), "ReduceAll"))


def _log_sum(node: OnnxNode) -> Value:
    return node.emit("Log", _reduce(node, node.x(), "ReduceSum"))


def _log_sum_exp(node: OnnxNode) -> Value:
    """In float64, as ONNX defines it, so that sums of large exponentials stay finite."""
    wide = node.emit("ExpFusion", node.cast(node.x(), "float64"))
    return node.cast(node.emit("Log", _reduce(node, wide, "ReduceSum")), node.dtype(node.x()))


def _each(op_type: str) -> ReductionStep:
    return lambda node, x: node.emit(op_type, x)


CONVERTERS: dict[str, Converter] = {
    "ReduceL1": _reduction("ReduceASum", _each("Abs")),
    "ReduceL2": _reduction("ReduceL2", _each("Abs")),
    "ReduceLogSum": _log_sum,
    "ReduceLogSumExp": _log_sum_exp,
    "ReduceMax": _extreme("ReduceMax", _any),
    "ReduceMean": _reduction("ReduceMean"),
    "ReduceMin": _extreme("ReduceMin", _all),
    "ReduceProd": _reduction("ReduceProd"),
    "ReduceSum": _reduction("ReduceSum"),
    "ReduceSumSquare": _reduction("ReduceSumSquare", _each("Square")),
}
