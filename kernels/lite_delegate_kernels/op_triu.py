"""Triu: the upper triangle of every matrix, zeros below it."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._triangle import diagonal, infer_triangle


def triu(x: Array, k: Array | None = None) -> Array:
    """``x`` with 0 at row i, column j of the last two dimensions where ``j - i < k``.

    Args:
        x: rank >= 2, any dtype.
        k: one integer, the last diagonal that is kept: 0, which an absent input means, is the main one, positive
            ones lie above it.

    Raises:
        KernelInputError: ``k`` does not hold one integer.
    """
    return np.triu(x, diagonal(k))


def infer_triu(x: ArraySpec, k: ArraySpec | None = None) -> ArraySpec:
    """The spec of ``x``."""
    return infer_triangle(x, k)


KERNEL = ReferenceKernel("Triu", triu, infer_triu, ALL_DTYPES)
