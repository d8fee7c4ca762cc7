"""Shared by the two-input operators: their inference, and integer division."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._dtypes import NUMBERS, check_dtype, check_same_dtype
from ._fused import check_fused
from ._kernel import Array, ArraySpec, KernelInputError
from ._shapes import broadcast_shapes

_BOOL = np.dtype(np.bool_)


def infer_fused(a: ArraySpec, b: ArraySpec, activation_type: str) -> ArraySpec:
    """The broadcast shape and the dtype of two arrays, for an operator with a fused activation.

    NOTE: names other than NO_ACTIVATION, RELU and RELU6 are rejected: MindSpore Lite's arithmetic kernels have
    functions for these three only.

    Raises:
        KernelInputError: dtypes that differ, shapes that do not broadcast, an activation that cannot be fused.
    """
    check_fused(activation_type)
    return infer_binary(a, b)


def infer_binary(a: ArraySpec, b: ArraySpec, dtypes: Sequence[str] = NUMBERS) -> ArraySpec:
    """The broadcast shape of two arrays of one dtype.

    Raises:
        KernelInputError: a dtype that is not in ``dtypes``, dtypes that differ, shapes that do not broadcast.
    """
    check_dtype(a, dtypes)
    check_same_dtype(a, b)
    return ArraySpec(a.dtype, broadcast_shapes(a.shape, b.shape))


def infer_comparison(a: ArraySpec, b: ArraySpec, dtypes: Sequence[str] = NUMBERS) -> ArraySpec:
    """The broadcast shape of two arrays of one dtype, bool; raises KernelInputError as ``infer_binary``."""
    return ArraySpec(_BOOL, infer_binary(a, b, dtypes).shape)


def check_divisor(b: Array) -> None:
    """Raises KernelInputError when an element of an integer divisor is 0."""
    if not np.all(b):
        raise KernelInputError("integer division by zero")


def truncated_divide(a: Array, b: Array) -> Array:
    """Integer quotient rounded toward zero, as in C; the smallest number over -1 wraps to itself.

    Raises:
        KernelInputError: an element of ``b`` is 0.
    """
    check_divisor(b)
    quotient: Array = np.floor_divide(a - np.fmod(a, b), b)
    return quotient
