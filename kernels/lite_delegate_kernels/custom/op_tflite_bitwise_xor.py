"""BITWISE_XOR: the bits that differ between the operands."""

from __future__ import annotations

import numpy as np

from .._dtypes import INTS, check_dtype, check_same_dtype
from .._kernel import Array, ArraySpec, ReferenceKernel
from ._pairs import broadcast_shape


def bitwise_xor(a: Array, b: Array) -> Array:
    """The bits that differ between the operands; integers of one type whose shapes broadcast."""
    return np.asarray(np.bitwise_xor(a, b))


def infer_bitwise_xor(a: ArraySpec, b: ArraySpec) -> ArraySpec:
    """The shape that both broadcast to; raises KernelInputError where they do not."""
    check_dtype(a, INTS)
    check_same_dtype(a, b)
    return ArraySpec(a.dtype, broadcast_shape(a.shape, b.shape))


KERNEL = ReferenceKernel("tflite.BITWISE_XOR", bitwise_xor, infer_bitwise_xor, INTS)
