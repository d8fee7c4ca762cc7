"""Between real numbers and the integers that stand for them."""

from __future__ import annotations

import numpy as np

from ....flatbuffer.problem import FormatProblem
from ....ir import DataType, Value
from ...rejection import Why
from ..conversion import Converter, OperatorConversion
from ..quantization import is_quantized, meaning

_REAL = (DataType.FLOAT32, DataType.FLOAT16)
_SHIFT = 128
"""Between the zero points of int8 and uint8 numbers that mean the same."""


def quantize(c: OperatorConversion) -> None:
    """QuantDTypeCast; integers with other parameters become real numbers in between."""
    x, y = c.x(), c.y()
    c.reject_unless(is_quantized(y), Why.DTYPE, f"the output must be quantized integers, found {y.dtype.name}")
    if x.dtype in _REAL:
        _quant_cast(c, x, y)
        return
    c.reject_unless(is_quantized(x), Why.DTYPE, f"quantizing {x.dtype.name} anew; 8- and 16-bit integers can be")
    if _is_shift(x, y):
        _quant_cast(c, x, y)
        return
    real = c.between(y, "real", DataType.FLOAT32)
    _quant_cast(c, x, real)
    _quant_cast(c, real, y)


def dequantize(c: OperatorConversion) -> None:
    """QuantDTypeCast; of float16 numbers Cast, or a float32 constant."""
    x, y = c.x(), c.y()
    if x.dtype == DataType.FLOAT16 and not x.quant_params:
        _widen(c, x, y)
        return
    known = x.dtype in (DataType.INT8, DataType.UINT8, DataType.INT16) and x.quant_params and y.dtype in _REAL
    c.reject_unless(known, Why.DTYPE, f"{x.dtype.name} to {y.dtype.name}")
    _quant_cast(c, x, y)


def densify(c: OperatorConversion) -> None:
    """No node: the output is the constant with all its elements.

    Raises:
        FormatProblem: the operand is no constant, or the output is of another element type.
    """
    x, y = c.x(), c.y()
    if x.data is None:
        raise FormatProblem(f"DENSIFY unpacks a sparse constant, and '{x.name}' is computed or an input", "inputs[0]")
    if x.dtype != y.dtype:
        raise FormatProblem(f"expected {x.dtype.name} as its input is, found {y.dtype.name}", "outputs[0]")
    y.shape, y.data = x.data.shape, x.data


def _is_shift(x: Value, y: Value) -> bool:
    """True where one adds or subtracts 128 to get from one type to the other."""
    if {x.dtype, y.dtype} != {DataType.INT8, DataType.UINT8}:
        return False
    offset = _SHIFT if y.dtype == DataType.UINT8 else -_SHIFT
    return [(s, z + offset) for s, z in meaning(x)] == meaning(y)


def _quant_cast(c: OperatorConversion, x: Value, y: Value) -> None:
    integers = x if x.dtype not in _REAL else y
    axis = c.operator.tensors.channels.get(integers, 0)
    c.plain_node("QuantDTypeCast", [x], [y], src_t=int(x.dtype), dst_t=int(y.dtype), axis=axis)


def _widen(c: OperatorConversion, x: Value, y: Value) -> None:
    """The output itself becomes the constant where nothing has to be computed."""
    if x.data is None or y.dtype != DataType.FLOAT32:
        c.cast(x, y)
        return
    c.budget.charge(2 * x.data.nbytes)
    y.shape, y.data = x.data.shape, x.data.astype(np.float32)
    y.data.flags.writeable = False
    y.was_half = True


CONVERTERS: dict[str, Converter] = {
    "QUANTIZE": quantize,
    "DENSIFY": densify,
    "DEQUANTIZE": dequantize,
}
"""Converters of this file by the schema's names."""
