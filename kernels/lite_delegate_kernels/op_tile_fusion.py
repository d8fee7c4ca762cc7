"""TileFusion: the whole array repeated along its axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._dtypes import ALL_DTYPES
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import constant_ints, int_list, vector_length
from ._shapes import normalize_axes


def tile_fusion(x: Array, multiples: Array, *, dims: Sequence[int] | None = None) -> Array:
    """``x`` repeated.

    Args:
        x: any rank, any dtype.
        multiples: integers >= 0, how often to repeat along each named axis.
        dims: the axis of each multiple (Caffe's form), negative counts from the end; None or empty: the first
            axes in order.

    Returns:
        Each named dimension times its multiple; the other dimensions as they are.

    Raises:
        KernelInputError: more multiples than dimensions, a negative one, or ``dims`` of another length.
    """
    return np.tile(x, _repeats(int_list(multiples, "multiples"), dims, x.ndim))


def infer_tile_fusion(x: ArraySpec, multiples: ArraySpec, *, dims: Sequence[int] | None) -> ArraySpec:
    """The repeated dimensions; ``UNKNOWN`` along the named axes where ``multiples`` is not constant."""
    values = constant_ints(multiples, "multiples")
    if x.shape is None:
        return ArraySpec(x.dtype, None)
    if values is None:
        count = len(dims) if dims else vector_length(multiples)
        touched = _axes(len(x.shape) if count is None else count, dims, len(x.shape))
        return ArraySpec(x.dtype, tuple(UNKNOWN if i in touched and d else d for i, d in enumerate(x.shape)))
    repeats = _repeats(values, dims, len(x.shape))
    return ArraySpec(x.dtype, tuple(_times(d, r) for d, r in zip(x.shape, repeats, strict=True)))


def _times(dim: int, repeat: int) -> int:
    if repeat == 0:
        return 0
    return UNKNOWN if dim == UNKNOWN else dim * repeat


def _axes(count: int, dims: Sequence[int] | None, rank: int) -> tuple[int, ...]:
    if dims and len(dims) != count:
        raise KernelInputError(f"dims {list(dims)} must name one axis for each of {count} multiples")
    if count > rank:
        raise KernelInputError(f"{count} multiples are too many for rank {rank}")
    return normalize_axes(dims or range(count), rank)


def _repeats(multiples: Sequence[int], dims: Sequence[int] | None, rank: int) -> list[int]:
    if min(multiples, default=0) < 0:
        raise KernelInputError(f"multiples must not be negative, got {list(multiples)}")
    repeats = [1] * rank
    for axis, multiple in zip(_axes(len(multiples), dims, rank), multiples, strict=True):
        repeats[axis] = multiple
    return repeats


KERNEL = ReferenceKernel("TileFusion", tile_fusion, infer_tile_fusion, ALL_DTYPES)
