"""Narrow integers computed in int32, because OpenVINO's own arithmetic on narrow types saturates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...lowering import Term
from .call import OperatorCall
from .operator import NARROW, NUMBERS, OnnxOperator, Write

INT32 = np.dtype(np.int32)


def widened(write: Write) -> OnnxOperator:
    """An operator on numbers whose operands and results have one element type; narrow integers wrap around."""
    return OnnxOperator(
        lambda call: _in_int32(write, call) if call.dtype.name in NARROW else write(call), NUMBERS | NARROW
    )


def _in_int32(write: Write, call: OperatorCall) -> list[Any]:
    from openvino import Type, opset16

    operands = [None if term is None else _wide(call, term) for term in call.operands]
    wide = replace(call, operands=operands, results=[(INT32, shape) for _, shape in call.results])
    return [opset16.convert(output, Type(call.dtype)).output(0) for output in write(wide)]


def _wide(call: OperatorCall, term: Term) -> Term:
    from openvino import Type, opset16

    if term.constant is None:
        return Term(opset16.convert(term.handle, Type.i32).output(0), INT32, term.shape)
    array = term.constant.astype(INT32)
    return Term(call.constant(array), INT32, term.shape, array)
