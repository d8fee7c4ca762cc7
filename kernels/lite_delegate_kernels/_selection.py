"""The largest or smallest elements along an axis: what TopKFusion, ArgMaxFusion and ArgMinFusion share."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ._dtypes import NUMBERS, check_dtype
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, Shape
from ._shapes import normalize_axis


class Places(Protocol):
    """A function that does what ``ordered_places`` does."""

    def __call__(self, x: Array, count: int, *, largest: bool) -> Array: ...


def ordered_places(x: Array, count: int, *, largest: bool) -> Array:
    """Positions of the ``count`` largest (or smallest) elements of the last axis, best first.

    Of equal elements the one with the lower index comes first. NaN comes before everything, either way, as it does
    for ``numpy.argmax`` and ``numpy.argmin``.

    Returns:
        ``(..., count)``, indices along the last axis.
    """
    order = descending(x) if largest else np.lexsort((x, ~np.isnan(x)), axis=-1)
    return np.asarray(order[..., :count])


def descending(x: Array) -> Array:
    """Positions of the elements of the last axis, the largest first, NaN before all, equals in order."""
    # numpy sorts NaN last; read from its end, a stable sort of the reversed axis keeps equals in order.
    order = np.argsort(x[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    return np.asarray(x.shape[-1] - 1 - order)


def select(
    x: Array,
    axis: int = 0,
    top_k: int = 1,
    keep_dims: bool = False,
    out_max_value: bool = False,
    output_count: int | None = None,
    *,
    largest: bool,
    places: Places = ordered_places,
) -> Array | tuple[Array, ...]:
    """The outputs of ArgMaxFusion (``largest``) and ArgMinFusion; ``places`` does what ``ordered_places`` does.

    Returns:
        int32 indices, or values where ``out_max_value``; both, indices first, where ``output_count`` is 2. The axis
        has ``top_k`` elements, and is removed where that is 1 and not ``keep_dims``.

    Raises:
        KernelInputError: ``axis`` is out of range, or ``top_k`` is not 1 to its size.
    """
    a = normalize_axis(axis, x.ndim)
    _check_count(x.shape[a], top_k)
    best = _best(x, a, top_k, largest, places)
    drop = a if top_k == 1 and not keep_dims else ()
    indices = best.astype(np.int32).squeeze(drop)
    if output_count != 2 and not out_max_value:
        return indices
    values = np.take_along_axis(x, best, axis=a).squeeze(drop)
    return (indices, values) if output_count == 2 else values


def _best(x: Array, axis: int, top_k: int, largest: bool, places: Places) -> Array:
    if top_k == 1:
        return np.asarray((np.argmax if largest else np.argmin)(x, axis=axis, keepdims=True))
    return np.moveaxis(places(np.moveaxis(x, axis, -1), top_k, largest=largest), -1, axis)


def infer_select(
    x: ArraySpec, axis: int, top_k: int, keep_dims: bool, out_max_value: bool, output_count: int | None
) -> ArraySpec | tuple[ArraySpec, ...]:
    """The specs of ``select``."""
    check_dtype(x, NUMBERS)
    shape = _selected_shape(x.shape, axis, top_k, keep_dims)
    indices, values = ArraySpec(np.dtype(np.int32), shape), ArraySpec(x.dtype, shape)
    if output_count == 2:
        return indices, values
    return values if out_max_value else indices


def _selected_shape(shape: Shape | None, axis: int, top_k: int, keep_dims: bool) -> Shape | None:
    if shape is None:
        _check_count(UNKNOWN, top_k)
        return None
    a = normalize_axis(axis, len(shape))
    _check_count(shape[a], top_k)
    kept = () if top_k == 1 and not keep_dims else (top_k,)
    return (*shape[:a], *kept, *shape[a + 1 :])


def _check_count(dim: int, top_k: int) -> None:
    if top_k < 1 or (dim != UNKNOWN and top_k > dim):
        limit = "at least 1" if dim == UNKNOWN else f"1 to {dim}"
        raise KernelInputError(f"top_k must be {limit}, got {top_k}")
