"""Integers that stand for real numbers, in the forms of which OpenVINO makes its 8-bit kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....tensor import Array
from .call import Call
from .operator import Operator

LEVELS = 256
INTEGERS = frozenset({"int8", "uint8"})
SUMS = INTEGERS | {"int32"}
FLOAT32 = frozenset({"float32"})


def write_quantize_linear(call: Call) -> list[Any]:
    """``clip(round(x / scale) + zero)``: FakeQuantize to the integers."""
    from openvino import Type, opset16

    low, high = _limits(call.dtype)
    reals = _interval(call, low, high)
    y = opset16.fake_quantize(_within(call.inputs[0], *reals), *reals, np.float32(low), np.float32(high), LEVELS)
    return [opset16.convert(y, Type(call.dtype)).output(0)]


def _within(x: Any, low: Array, high: Array) -> Any:
    """What is quantized; clamped to the nearer end where it was clamped to an interval beyond that of the integers.

    OpenVINO takes both into what is before them, as one interval whose lower end is above its upper one then.
    """
    from openvino import opset16

    node = x.get_node()
    if node.get_type_name() != "Clamp" or low.size > 1:
        return x
    bounds = [float(node.get_attributes()[name]) for name in ("min", "max")]
    if bounds[0] <= high and bounds[1] >= low:
        return x
    end = float(high if bounds[0] > high else low)
    return opset16.clamp(node.input_value(0), end, end).output(0)


def write_dequantize_linear(call: Call) -> list[Any]:
    """``(x - zero) * scale``.

    OpenVINO makes one FakeQuantize of a quantization and this; given one at once, it takes steps of 1e-10 for none.
    Weights stay integers where products of them are exact, and are made real before the model runs elsewhere.
    """
    from openvino import Type, opset16

    x = call.term(0)
    scale, zero = (_spread(call, position) for position in (1, 2))
    if x.constant is not None and (x.dtype == np.int32 or not call.stays_integer(x.constant)):
        return [call.constant(((x.constant - zero) * scale).astype(np.float32))]
    y = opset16.convert(x.handle, Type.f32).output(0)
    if zero.any():
        y = opset16.subtract(y, zero.astype(np.float32)).output(0)
    return [opset16.multiply(y, scale.astype(np.float32)).output(0)]


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
