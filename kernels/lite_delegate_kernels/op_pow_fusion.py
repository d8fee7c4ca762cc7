"""PowFusion: every element, scaled and shifted first, to a power."""

from __future__ import annotations

import numpy as np

from ._dtypes import INTS, NUMBERS, check_dtype
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._shapes import broadcast_shapes
from ._unary import elementwise


@np.errstate(all="ignore")
def pow_fusion(x: Array, exponent: Array, *, scale: float = 1.0, shift: float = 0.0) -> Array:
    """``(scale * x + shift) ** exponent``, broadcast.

    NOTE: MindSpore Lite's CPU kernel computes in float32 only and stretches nothing but a single exponent. Integers
    (without scale and shift, wrapping around) and broadcasting are as in TensorFlow and ONNX.

    Args:
        x: any shape, float or integer.
        exponent: a shape that broadcasts with ``x``; any number dtype where ``x`` is float, integers where it is not.
        scale: multiplies ``x``; 1 where ``x`` is an integer.
        shift: added to the product; 0 where ``x`` is an integer.

    Returns:
        The broadcast shape, the dtype of ``x``. float16 is computed in float32. A negative number to a power that is
        not whole is NaN.

    Raises:
        KernelInputError: an integer to a negative power.
    """
    if x.dtype.kind != "f":
        return _integer_power(x, exponent)
    if scale == 1 and shift == 0:
        return elementwise(lambda v: np.power(v, exponent.astype(v.dtype)), x)
    return elementwise(lambda v: np.power(v * scale + shift, exponent.astype(v.dtype)), x)


def infer_pow_fusion(x: ArraySpec, exponent: ArraySpec, *, scale: float, shift: float) -> ArraySpec:
    """The broadcast shape; raises KernelInputError for dtypes, shapes or a scaled integer that do not fit."""
    check_dtype(x, NUMBERS)
    if x.dtype.kind == "f":
        check_dtype(exponent, NUMBERS, "exponent")
    else:
        check_dtype(exponent, INTS, f"exponent of {x.dtype.name}")
        if scale != 1 or shift != 0:
            raise KernelInputError(f"{x.dtype.name} must have scale 1 and shift 0, got {scale} and {shift}")
    return ArraySpec(x.dtype, broadcast_shapes(x.shape, exponent.shape))


def _integer_power(x: Array, exponent: Array) -> Array:
    if (exponent < 0).any():
        raise KernelInputError(f"{x.dtype.name} cannot be raised to a negative power, got {exponent.min()}")
    # Modulo 2 ** 64, of which every narrower modulus is a divisor.
    return np.asarray(np.power(x.astype(np.uint64), exponent.astype(np.uint64))).astype(x.dtype)


KERNEL = ReferenceKernel("PowFusion", pow_fusion, infer_pow_fusion, NUMBERS)
