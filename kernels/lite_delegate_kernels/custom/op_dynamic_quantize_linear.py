"""DynamicQuantizeLinear: uint8 for real numbers, with the scale and zero point that their range asks for."""

from __future__ import annotations

import numpy as np

from .._dtypes import check_dtype
from .._kernel import Array, ArraySpec, ReferenceKernel

_LAST = np.float32(255)


@np.errstate(all="ignore")
def dynamic_quantize_linear(x: Array) -> tuple[Array, Array, Array]:
    """Integers, scale and zero point, so that the range of ``x`` and 0 is 0 to 255; halves are rounded to even.

    NOTE: the scale is 1 where all of ``x`` is 0, as in ONNX Runtime; ONNX divides 0 by 0 there.
    """
    low, high = (np.float32(pick(x, initial=0.0)) for pick in (np.min, np.max))
    scale = np.float32(1) if high == low else np.float32((high - low) / _LAST)
    zero_point = np.rint(np.clip(-low / scale, 0, _LAST)).astype(np.uint8)
    y = np.clip(np.rint(x / scale) + zero_point, 0, _LAST).astype(np.uint8)
    return y, np.array(scale, np.float32), np.array(zero_point, np.uint8)


def infer_dynamic_quantize_linear(x: ArraySpec) -> tuple[ArraySpec, ArraySpec, ArraySpec]:
    """The specs of integers, scale and zero point; raises KernelInputError for other types than float32."""
    check_dtype(x, ("float32",))
    byte = np.dtype(np.uint8)
    return ArraySpec(byte, x.shape), ArraySpec(x.dtype, ()), ArraySpec(byte, ())


KERNEL = ReferenceKernel(
    "ai.onnx.DynamicQuantizeLinear", dynamic_quantize_linear, infer_dynamic_quantize_linear, ("float32",)
)
