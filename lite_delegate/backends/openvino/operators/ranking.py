"""Elements by their rank along an axis, and triangles."""

from __future__ import annotations

from typing import Any

import numpy as np

from .call import OperatorCall
from .operator import INDICES, MOVED, NARROW, NUMBERS, OnnxOperator, Write


def write_top_k(call: OperatorCall) -> list[Any]:
    """The largest or smallest elements along an axis and their places; of equal ones the first counts.

    Narrow integers are ranked as int32.
    """
    mode = "max" if call.integer("largest", 1) else "min"
    axis = call.integer("axis", -1) % len(call.shape)
    return _top(call, call.shape[axis], axis, mode)


def _top(call: OperatorCall, count: int, axis: int, mode: str) -> list[Any]:
    from openvino import Type, opset16

    x = call.inputs[0]
    is_narrow = call.term(0).dtype.name in NARROW
    if is_narrow:
        x = opset16.convert(x, Type.i32).output(0)
    node = opset16.topk(x, call.position(count), axis, mode, "value", "i64", True)
    values = node.output(0)
    if is_narrow:
        values = opset16.convert(values, Type(call.term(0).dtype)).output(0)
    return [values, node.output(1)]


def _single(mode: str) -> Write:
    """The place of the largest or smallest element along an axis; of equal ones that of the first."""

    def write(call: OperatorCall) -> list[Any]:
        from openvino import opset16

        axis = call.integer("axis", 0) % len(call.term(0).shape)
        _, places = _top(call, 1, axis, mode)
        return [opset16.reshape(places, call.positions(call.shape), False).output(0)]

    return write


def write_trilu(call: OperatorCall) -> list[Any]:
    """The elements above or below a diagonal, 0 elsewhere."""
    from openvino import opset16

    k = call.term(1).constant if call.has(1) else np.array(0)
    assert k is not None
    rows, columns = call.shape[-2:]
    is_upper = bool(call.integer("upper", 1))
    lower = np.tri(rows, columns, int(k.item()) - is_upper, dtype=bool)
    zero = np.zeros((), call.dtype)
    return [opset16.select(~lower if is_upper else lower, call.inputs[0], zero).output(0)]


RANKED = NUMBERS | NARROW
OPERATORS = {
    "TopK": OnnxOperator(write_top_k, RANKED, RANKED | {"int64"}, {1: INDICES}),
    "ArgMax": OnnxOperator(_single("max"), RANKED, INDICES),
    "ArgMin": OnnxOperator(_single("min"), RANKED, INDICES),
    "Trilu": OnnxOperator(write_trilu, MOVED, None, {1: INDICES}),
}
