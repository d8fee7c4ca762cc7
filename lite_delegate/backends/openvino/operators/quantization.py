"""Integers that stand for real numbers, in the forms of which OpenVINO makes its 8-bit kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....tensor import Array
from ...lowering import Term
from .call import Call
from .operator import Operator

LEVELS = 256
MOST_EXACT = 64
"""Processors without products of 8-bit numbers into 32 bits add two of them in 16: 2 * 255 * 64 fits, no more does."""
INTEGERS = frozenset({"int8", "uint8"})
SUMS = INTEGERS | {"int32"}
FLOAT32 = frozenset({"float32"})


def write_quantize_linear(call: Call) -> list[Any]:
    """``clip(round(x / scale) + zero)``: FakeQuantize to the integers."""
    from openvino import Type, opset16

    low, high = _limits(call.dtype)
    reals = _interval(call, low, high)
    y = opset16.fake_quantize(call.inputs[0], *reals, np.float32(low), np.float32(high), LEVELS)
    return [opset16.convert(y, Type(call.dtype)).output(0)]


def write_dequantize_linear(call: Call) -> list[Any]:
    """``(x - zero) * scale``.

    What was made of real numbers with the same scale stays real, rounded, which is the form that OpenVINO knows.
    Weights stay integers where products of them are exact, and are made real before the model runs elsewhere.
    """
    x = call.term(0)
    if x.constant is not None:
        return [_constant(call, x)]
    made = _made_of_reals(call, x)
    return [_written(call, x.handle) if made is None else made]


def _constant(call: Call, x: Term) -> Any:
    array = x.constant
    assert array is not None
    if array.dtype != np.int32 and (call.is_exact() or bool((np.abs(array.astype(np.int16)) <= MOST_EXACT).all())):
        return _written(call, x.handle)
    scale, zero = (_spread(call, position) for position in (1, 2))
    return call.constant(((array - zero) * scale).astype(np.float32))


def _written(call: Call, handle: Any) -> Any:
    from openvino import Type, opset16

    scale, zero = (_spread(call, position).astype(np.float32) for position in (1, 2))
    y = opset16.convert(handle, Type.f32).output(0)
    if zero.any():
        y = opset16.subtract(y, zero).output(0)
    return opset16.multiply(y, scale).output(0)


def _made_of_reals(call: Call, x: Term) -> Any:
    """The same, of the real numbers that a quantization with these parameters took; None where there is none."""
    from openvino import opset16

    convert = x.handle.get_node()
    if convert.get_type_name() != "Convert":
        return None
    quantize = convert.input_value(0).get_node()
    if quantize.get_type_name() != "FakeQuantize":
        return None
    reals = _interval(call, *_limits(x.dtype))
    known = [quantize.input_value(place).get_node().get_data() for place in (1, 2)]
    if any(a.shape != b.shape or (a != b).any() for a, b in zip(reals, known, strict=True)):
        return None
    return opset16.fake_quantize(quantize.input_value(0), *reals, *reals, LEVELS).output(0)


def _limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    limits = np.iinfo(dtype.name)
    return int(limits.min), int(limits.max)


def _interval(call: Call, low: int, high: int) -> list[Array]:
    scale, zero = (_spread(call, position) for position in (1, 2))
    return [((bound - zero) * scale).astype(np.float32) for bound in (low, high)]


def _spread(call: Call, position: int) -> Array:
    """Scale or zero point in float64, with axes of 1 around that of the channels."""
    array = call.term(position).constant
    assert array is not None
    wide = array.astype(np.float64)
    if wide.size == 1:
        return wide.reshape(())
    shape = [1] * len(call.term(0).shape)
    shape[call.integer("axis", 1)] = wide.size
    return wide.reshape(shape)


OPERATORS = {
    "QuantizeLinear": Operator(write_quantize_linear, FLOAT32, INTEGERS, {2: INTEGERS}),
    "DequantizeLinear": Operator(write_dequantize_linear, SUMS, FLOAT32, {1: FLOAT32, 2: SUMS}),
}
