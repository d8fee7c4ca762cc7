"""ReverseV2: axes read from their end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._dtypes import ALL_DTYPES
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._shapes import normalize_axes


def reverse_v2(x: Array, *, axis: Sequence[int] | None = None) -> Array:
    """``x`` with the order of elements along every named axis turned round.

    Args:
        x: any rank, any dtype.
        axis: the axes, negative ones count from the end; None or empty leaves ``x`` as it is.

    Returns:
        A view of ``x``.

    Raises:
        KernelInputError: an axis is out of range or named twice.
    """
    return np.flip(x, normalize_axes(axis or (), x.ndim))


def infer_reverse_v2(x: ArraySpec, *, axis: Sequence[int] | None) -> ArraySpec:
    """The spec of ``x``."""
    if x.rank is not None:
        normalize_axes(axis or (), x.rank)
    return ArraySpec(x.dtype, x.shape)


KERNEL = ReferenceKernel("ReverseV2", reverse_v2, infer_reverse_v2, ALL_DTYPES)
