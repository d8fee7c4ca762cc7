"""The largest elements along an axis, chosen before they are sorted."""

from __future__ import annotations

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._selection import descending, ordered_places

FEW = 8
"""Elements are chosen before they are sorted where they are at most one in this many: below, sorting all is faster."""


def chosen_places(x: Array, count: int, *, largest: bool) -> Array:
    """As ``ordered_places`` of the reference kernels."""
    has_nan = x.dtype.kind == "f" and bool(np.isnan(x).any())
    if not largest and not has_nan:
        return np.asarray(np.argsort(x, axis=-1, kind="stable")[..., :count])
    if not largest or has_nan or not 0 < count * FEW <= x.shape[-1]:
        return ordered_places(x, count, largest=largest)
    places = _largest_places(x, count)
    order = descending(np.take_along_axis(x, places, axis=-1))
    return np.take_along_axis(places, order, axis=-1)


def _largest_places(x: Array, count: int) -> Array:
    """Positions of the ``count`` largest, in the order of the axis, without sorting all of it; ``x`` has no NaN."""
    edge = np.partition(x, x.shape[-1] - count, axis=-1)[..., x.shape[-1] - count, None]
    above, equal = x > edge, x == edge
    missing = count - above.sum(axis=-1, keepdims=True)
    chosen = above | (equal & (np.cumsum(equal, axis=-1) <= missing))
    return np.nonzero(chosen)[-1].reshape(*x.shape[:-1], count)
