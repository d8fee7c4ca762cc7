"""Between real numbers and the integers that stand for them."""

from __future__ import annotations

import numpy as np

from ....delegate import RejectCode
from ....formats.tflite.export import Quantization, TfliteTensor
from ....tensors.tensor import Array
from .call import LoweredCall, Write


def _meaning(call: LoweredCall) -> Quantization:
    """Scales and zero points of the second and third operand."""
    scales = call.known(1, "scales").reshape(-1)
    points = call.known(2, "zero points").reshape(-1) if call.has(2) else np.zeros(scales.shape, np.int64)
    axis = call.integer("axis", 1) if scales.size > 1 else 0
    rank = len(call.term(0).shape)
    return Quantization(tuple(map(float, scales)), tuple(map(int, points)), axis % max(rank, 1))


def write_dequantize(call: LoweredCall) -> list[TfliteTensor]:
    """The real numbers that integers stand for."""
    meaning, term = _meaning(call), call.term(0)
    call.wanted(call.dtype == "float32", RejectCode.DTYPE, "integers stand for float32", f"is {call.dtype}")
    if term.dtype.name == "int32" or (term.dtype.name == "int16" and any(meaning.zero_points)):
        return [_by_hand(call, meaning)]
    if term.constant is not None:
        x = call.builtins.constant(term.constant, meaning)
    else:
        x = call.x()
        if x.quantization is None or (x.quantization.scales, x.quantization.zero_points) != (
            meaning.scales,
            meaning.zero_points,
        ):
            x = call.builtins.copied(x, call.builtins.tensor(x.dtype, x.shape, meaning))
    y = call.builtins.tensor("float32", x.shape)
    call.builtins.graph.operator("DEQUANTIZE", [x], [y], "DequantizeOptions")
    return [y]


def _by_hand(call: LoweredCall, meaning: Quantization) -> TfliteTensor:
    """32-bit integers less their zero points, times their scales."""
    shape = [1] * call.rank
    if meaning.is_per_channel:
        shape[meaning.axis] = len(meaning.scales)
    constant = call.term(0).constant
    points = np.array(meaning.zero_points, np.int64).reshape(shape if call.rank else ())
    scales = np.array(meaning.scales, np.float32).reshape(shape if call.rank else ())
    if constant is not None:
        return call.builtins.constant((constant - points).astype(np.float32) * scales)
    call.wanted(term_fits(call, points), RejectCode.DTYPE, "32-bit integers have zero points of 0")
    real = call.builtins.cast(call.x(), "float32")
    if points.any():
        real = call.pair("SUB", real, call.builtins.constant(points.astype(np.float32)), "SubOptions")
    return call.pair("MUL", real, call.builtins.constant(scales), "MulOptions")


def term_fits(call: LoweredCall, points: Array) -> bool:
    """Whether float32 holds integers less their zero points."""
    return call.term(0).dtype.itemsize < 4 or not points.any()


def write_quantize(call: LoweredCall) -> list[TfliteTensor]:
    """The integers that stand for real numbers."""
    meaning, x = _meaning(call), call.x()
    call.wanted(x.dtype == "float32", RejectCode.DTYPE, "float32 becomes integers", f"is {x.dtype}")
    call.wanted(not meaning.is_per_channel, RejectCode.ATTRIBUTE, "results have one scale")
    y = call.builtins.tensor(call.dtype, call.shape, meaning)
    call.builtins.graph.operator("QUANTIZE", [x], [y], "QuantizeOptions")
    return [y]


OPERATORS: dict[str, Write] = {"DequantizeLinear": write_dequantize, "QuantizeLinear": write_quantize}
"""Writers of this file by ONNX's names."""
