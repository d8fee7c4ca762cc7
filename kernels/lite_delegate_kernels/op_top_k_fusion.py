"""TopKFusion: the k largest elements along an axis, and where they lie."""

from __future__ import annotations

import numpy as np

from ._dtypes import NUMBERS, check_dtype
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import constant_ints, int_list, single_int, unknown_shape
from ._selection import Places, ordered_places
from ._shapes import normalize_axis


def top_k_fusion(x: Array, k: Array, *, sorted: bool = True, axis: int = 0, largest: int = 0) -> tuple[Array, Array]:
    """The ``k`` largest elements along ``axis``, largest first, of equals the one with the lower index first.

    Args:
        x: rank >= 1, float or integer. NaN comes before every number.
        k: one integer, 0 to the size of the axis.
        sorted: no effect, the elements are always in order, which is one of the orders that false allows.
        axis: negative counts from the end.
        largest: no effect, as in MindSpore Lite: always the largest.

    Returns:
        Values, and int32 indices; the axis has ``k`` elements.

    Raises:
        KernelInputError: ``axis`` is out of range, or ``k`` is not 0 to its size.
    """
    return top_k(x, k, axis, ordered_places)


def top_k(x: Array, k: Array, axis: int, places_of: Places) -> tuple[Array, Array]:
    """The outputs of TopKFusion; ``places_of`` does what ``ordered_places`` does."""
    a = normalize_axis(axis, x.ndim)
    count = _checked(int_list(k, "k"), x.shape[a])
    last = np.moveaxis(x, a, -1)
    places = places_of(last, count, largest=True)
    values = np.take_along_axis(last, places, axis=-1)
    return np.moveaxis(values, -1, a), np.moveaxis(places.astype(np.int32), -1, a)


def infer_top_k_fusion(x: ArraySpec, k: ArraySpec, *, axis: int) -> tuple[ArraySpec, ArraySpec]:
    """The shape of ``x`` with ``k`` elements along ``axis``, ``UNKNOWN`` where ``k`` is not constant."""
    check_dtype(x, NUMBERS)
    values = constant_ints(k, "k")
    if x.shape is None:
        shape = unknown_shape(None)
    else:
        a = normalize_axis(axis, len(x.shape))
        count = UNKNOWN if values is None else _checked(values, x.shape[a])
        shape = (*x.shape[:a], count, *x.shape[a + 1 :])
    return ArraySpec(x.dtype, shape), ArraySpec(np.dtype(np.int32), shape)


def _checked(values: list[int], dim: int) -> int:
    count = single_int(values, "k")
    if count < 0 or (dim != UNKNOWN and count > dim):
        limit = "at least 0" if dim == UNKNOWN else f"0 to {dim}"
        raise KernelInputError(f"k must be {limit}, got {count}")
    return count


KERNEL = ReferenceKernel("TopKFusion", top_k_fusion, infer_top_k_fusion, NUMBERS)
