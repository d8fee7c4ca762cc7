"""InvertPermutation: the permutation that undoes another."""

from __future__ import annotations

import numpy as np

from ._dtypes import INTS, check_dtype
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel


def invert_permutation(x: Array) -> Array:
    """``out[x[i]] = i``.

    Args:
        x: 1-D, integers: each of 0..len(x) - 1 once.

    Raises:
        KernelInputError: ``x`` is not a permutation.
    """
    places = np.arange(x.size)
    if not np.array_equal(np.sort(x), places):
        raise KernelInputError(f"input must hold each of 0..{x.size - 1} once, got {x.tolist()}")
    out = np.empty_like(x)
    out[x.astype(np.intp)] = places
    return out


def infer_invert_permutation(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for another rank than 1, or a constant that is no permutation."""
    check_dtype(x, INTS)
    if x.rank not in (None, 1):
        raise KernelInputError(f"input must be 1-D, got shape {x.shape}")
    if x.value is not None:
        invert_permutation(x.value)
    return ArraySpec(x.dtype, x.shape)


KERNEL = ReferenceKernel("InvertPermutation", invert_permutation, infer_invert_permutation, INTS)
