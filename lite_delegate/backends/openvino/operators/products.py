"""Matrix products."""

from __future__ import annotations

from typing import Any

from .call import OperatorCall
from .operator import OnnxOperator


def write_matmul(call: OperatorCall) -> list[Any]:
    """``a @ b`` over the last two axes."""
    from openvino import opset16

    return [opset16.matmul(*call.inputs, False, False).output(0)]


def write_gemm(call: OperatorCall) -> list[Any]:
    """``alpha * a @ b + beta * c``, either factor transposed."""
    from openvino import opset16

    flags = [bool(call.integer(name, 0)) for name in ("transA", "transB")]
    y = opset16.matmul(call.term(0).handle, call.term(1).handle, *flags).output(0)
    y = _times(call, y, call.number("alpha", 1.0))
    if not call.has(2):
        return [y]
    return [opset16.add(y, _times(call, call.term(2).handle, call.number("beta", 1.0))).output(0)]


def _times(call: OperatorCall, handle: Any, factor: float) -> Any:
    from openvino import opset16

    return handle if factor == 1.0 else opset16.multiply(handle, call.scalar(factor)).output(0)


OPERATORS = {"MatMul": OnnxOperator(write_matmul), "Gemm": OnnxOperator(write_gemm)}
