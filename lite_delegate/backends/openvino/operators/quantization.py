"""Quantization in the forms from which OpenVINO makes its 8-bit kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....tensors.tensor import Array
from .call import OperatorCall
from .operator import OnnxOperator

LEVELS = 256
INTEGERS = frozenset({"int8", "uint8"})
SUMS = INTEGERS | {"int32"}
FLOAT32 = frozenset({"float32"})


def write_quantize_linear(call: OperatorCall) -> list[Any]:
    """``clip(round(x / scale) + zero)``: FakeQuantize to the integers."""
    from openvino import Type, opset16

    low, high = _limits(call.dtype)
    reals = _interval(call, low, high)

    def quantize(x: Any) -> Any:
        y = opset16.fake_quantize(x, *reals, np.float32(low), np.float32(high), LEVELS)
        return opset16.convert(y, Type(call.dtype)).output(0)

    return [quantize(_within(call.inputs[0], quantize, call))]


def _within(x: Any, quantize: Callable[[Any], Any], call: OperatorCall) -> Any:
    """The tensor to be quantized. A clamp before it is written with the bounds of the integers, which gives the same
    results.

    It is quantized before that where integers of another scale are clamped: OpenVINO's passes for integer kernels bring
    the clamp before that scale, and the bounds to whole numbers. Where no integer lies between the bounds, OpenVINO
    makes one interval of both, whose lower end is above its upper one.
    """
    from openvino import opset16

    node = x.get_node()
    scale, zero = (_spread(call, position) for position in (1, 2))
    if node.get_type_name() != "Clamp" or scale.size > 1:
        return x
    source, limits = node.input_value(0), _limits(call.dtype)
    bounds = [np.rint(node.get_attributes()[name] / scale) + zero for name in ("min", "max")]
    low, high = (float((np.clip(bound, *limits) - zero) * scale) for bound in bounds)
    if _scale_before(source) not in (None, np.float32(scale)):
        return opset16.clamp(_real(quantize(source), scale, zero), low, high).output(0)
    is_beyond = bounds[0] > limits[1] or bounds[1] < limits[0]
    return opset16.clamp(source, low, high).output(0) if is_beyond else x


def _scale_before(x: Any) -> Any:
    """The scale by which integers became what is clamped; None where it is no integers' or has several."""
    node = x.get_node()
    before = node.input_value(0).get_node().get_type_name() if node.get_type_name() == "Multiply" else ""
    if before not in ("Subtract", "Convert"):
        return None
    scale = node.input_value(1).get_node()
    return scale.data.item() if scale.get_type_name() == "Constant" and scale.data.size == 1 else None


def _real(x: Any, scale: Array, zero: Array) -> Any:
    """``(x - zero) * scale``."""
    from openvino import Type, opset16

    y = opset16.convert(x, Type.f32).output(0)
    if zero.any():
        y = opset16.subtract(y, zero.astype(np.float32)).output(0)
    return opset16.multiply(y, scale.astype(np.float32)).output(0)


def write_dequantize_linear(call: OperatorCall) -> list[Any]:
    """``(x - zero) * scale``.

    OpenVINO makes one FakeQuantize of a quantization and this; given one at once, it takes steps of 1e-10 for none.
    Weights stay integers where products of them are exact, and are made real before the model runs elsewhere.
    """
    x = call.term(0)
    scale, zero = (_spread(call, position) for position in (1, 2))
    if x.constant is not None and (x.dtype == np.int32 or not call.stays_integer(x.constant)):
        return [call.constant(((x.constant - zero) * scale).astype(np.float32))]
    return [_real(x.handle, scale, zero)]


def without_zero_point(weight: Any) -> Any:
    """The weight with its zero point subtracted from its integers; real numbers where the differences exceed int8.

    OpenVINO multiplies transposed convolutions' weights as ``(q - zero) mod 256``.

    Args:
        weight: the output of a node; unchanged unless it is ``(Convert(constant) - zero) * scale``.
    """
    from openvino import opset16

    multiply = weight.get_node()
    subtract = multiply.input_value(0).get_node() if multiply.get_type_name() == "Multiply" else multiply
    if subtract.get_type_name() != "Subtract":
        return weight
    stored = subtract.input_value(0).get_node().input_value(0).get_node()
    zero, scale = subtract.input_value(1).get_node(), multiply.input_value(1).get_node()
    if any(node.get_type_name() != "Constant" for node in (stored, zero, scale)):
        return weight
    integers, limits = stored.data.astype(np.int16) - zero.data.astype(np.int16), np.iinfo(np.int8)
    if integers.min() < limits.min or integers.max() > limits.max:
        return opset16.constant(integers.astype(np.float32) * scale.data).output(0)
    return _real(opset16.constant(integers.astype(np.int8)), scale.data, np.zeros(()))


def _limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    limits = np.iinfo(dtype.name)
    return int(limits.min), int(limits.max)


def _interval(call: OperatorCall, low: int, high: int) -> list[Array]:
    scale, zero = (_spread(call, position) for position in (1, 2))
    return [((bound - zero) * scale).astype(np.float32) for bound in (low, high)]


def _spread(call: OperatorCall, position: int) -> Array:
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
    "QuantizeLinear": OnnxOperator(write_quantize_linear, FLOAT32, INTEGERS, {2: INTEGERS}),
    "DequantizeLinear": OnnxOperator(write_dequantize_linear, SUMS, FLOAT32, {1: FLOAT32, 2: SUMS}),
}
