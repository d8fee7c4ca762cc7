"""QuantDTypeCast: between real numbers and quantized integers, and between signed and unsigned ones."""

from __future__ import annotations

import numpy as np

from ._dtypes import DType, check_dtype, dtype_of_type_id
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._quantization import BYTES, STORED, NodeQuantization, Quantization, dequantize, quantize
from ._shapes import normalize_axis

FLOATS = ("float32", "float16")
INTS = ("int8", "uint8", "int16", "int32")


def quant_dtype_cast(
    x: Array, *, src_t: int = 0, dst_t: int = 0, axis: int = 0, quantization: NodeQuantization
) -> Array:
    """Integers to the real numbers they stand for, or back; int8 and uint8 to each other by adding or subtracting 128.

    Args:
        x: float32, float16, int8, uint8, int16; int32 only to floats. Any shape.
        src_t: type id of ``x``; 0 is not looked at.
        dst_t: type id of the result: a float type, int8, uint8 or int16.
        axis: the channels, where there is more than one scale; negative counts from the end.
        quantization: the output's parameters count, or the input's where the output has none.

    Returns:
        The shape of ``x``. Real numbers are rounded half away from zero and clamped; infinities become the lowest and
        the highest integer; NaN becomes the zero point.

    NOTE: as in MindSpore Lite, either infinity becomes 255 in uint8.
    """
    dst = dtype_of_type_id(dst_t)
    if x.dtype == dst:
        return x
    if x.dtype.name in BYTES and dst.name in BYTES:
        return np.asarray((x.view(np.uint8) ^ np.uint8(128)).view(dst))
    parameters = _parameters(quantization)
    channels = 0 if parameters.is_per_tensor else normalize_axis(axis, x.ndim)
    if dst.kind == "f":
        return dequantize(x, parameters, channels).astype(dst, copy=False)
    q = quantize(x, parameters, dst, channels)
    return np.where(np.isinf(x), np.uint8(255), q) if dst == np.uint8 else q


def infer_quant_dtype_cast(
    x: ArraySpec, *, src_t: int, dst_t: int, axis: int, quantization: NodeQuantization
) -> ArraySpec:
    """The shape of ``x`` in the type ``dst_t``.

    Raises:
        KernelInputError: types that cannot be converted to each other, ``src_t`` that is not the type of ``x``, no
            parameters on either side, as many as the channels are not.
    """
    check_dtype(x, FLOATS + INTS, "x")
    dst = dtype_of_type_id(dst_t)
    if src_t and dtype_of_type_id(src_t) != x.dtype:
        raise KernelInputError(f"src_t must be the type of x, {x.dtype.name}, got {dtype_of_type_id(src_t).name}")
    if not _can_convert(x.dtype, dst):
        raise KernelInputError(f"{x.dtype.name} cannot become {dst.name}")
    if x.dtype != dst and "f" in (x.dtype.kind, dst.kind):
        _check_channels(_parameters(quantization), x, axis)
    return ArraySpec(dst, x.shape)


def _can_convert(src: DType, dst: DType) -> bool:
    if src == dst:
        return True
    if src.kind == "f":
        return dst.name in STORED
    return dst.name in FLOATS or (src.name in BYTES and dst.name in BYTES)


def _parameters(quantization: NodeQuantization) -> Quantization:
    found = next((q for q in (*quantization.outputs, *quantization.inputs) if q is not None), None)
    if found is None:
        raise KernelInputError("neither input nor output has quantization parameters")
    return found


def _check_channels(parameters: Quantization, x: ArraySpec, axis: int) -> None:
    if min(parameters.scales) <= 0:
        raise KernelInputError(f"scales must be positive, got {min(parameters.scales)}")
    if parameters.is_per_tensor or x.shape is None:
        return
    size = x.shape[normalize_axis(axis, len(x.shape))]
    if size not in (UNKNOWN, len(parameters.scales)):
        raise KernelInputError(f"axis {axis} has {size} channels, there are {len(parameters.scales)} scales")


KERNEL = ReferenceKernel(
    "QuantDTypeCast", quant_dtype_cast, infer_quant_dtype_cast, FLOATS + INTS, needs_quantization=True
)
