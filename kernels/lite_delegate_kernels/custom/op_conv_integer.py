"""ConvInteger: a convolution of 8-bit integers less their zero points, in int32."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._kernel import Array, ArraySpec, ReferenceKernel
from ._whole import BYTES, INT32, centered, check_bytes, check_points, to_int32
from .op_conv import KERNEL as CONV
from .op_conv import conv


def conv_integer(
    x: Array,
    weight: Array,
    x_zero_point: Array | None = None,
    w_zero_point: Array | None = None,
    **attributes: Any,
) -> Array:
    """The convolution of ``x - x_zero_point`` and ``weight - w_zero_point``, borders filled with 0; sums wrap around.

    Args:
        x: (N, C, ...), int8 or uint8.
        weight: (M, C / group, ...), int8 or uint8.
        x_zero_point: one number; 0 where it is left out.
        w_zero_point: one, or one for each channel of the output.
        attributes: see ``op_conv.conv``.
    """
    return to_int32(conv(centered(x, x_zero_point, 0), centered(weight, w_zero_point, 0), **attributes))


def infer_conv_integer(
    x: ArraySpec,
    weight: ArraySpec,
    x_zero_point: ArraySpec | None = None,
    w_zero_point: ArraySpec | None = None,
    **attributes: Any,
) -> ArraySpec:
    """int32 of the convolution's shape; raises KernelInputError for operands that do not fit."""
    check_bytes(x, weight, x_zero_point, w_zero_point)
    check_points("weight", weight, w_zero_point, 0)
    wide = np.dtype(np.float64)
    return ArraySpec(INT32, CONV.infer(ArraySpec(wide, x.shape), ArraySpec(wide, weight.shape), **attributes).shape)


KERNEL = ReferenceKernel("ai.onnx.ConvInteger", conv_integer, infer_conv_integer, BYTES)
