"""Shared by reductions: the axes that go, and the shape that is left."""

from __future__ import annotations

import math

from ._dtypes import INTS, check_dtype
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, Shape
from ._shapes import normalize_axes

Axes = tuple[int, ...]


def reduced_axes(axes: Array | None, rank: int, reduce_to_end: bool = False) -> Axes:
    """The axes that go, counted from the start.

    Args:
        axes: integers in any shape; None or empty means all axes.
        rank: of the array that is reduced.
        reduce_to_end: whether the one axis stands for itself and all after it.

    Raises:
        KernelInputError: an axis is out of range or named twice, other than one axis with ``reduce_to_end``.
    """
    named = () if axes is None else normalize_axes(axes.reshape(-1).tolist(), rank)
    if not reduce_to_end:
        return named or tuple(range(rank))
    if len(named) != 1:
        raise KernelInputError(f"reduce_to_end needs exactly one axis, got {list(named)}")
    return tuple(range(named[0], rank))


def reduced_shape(shape: Shape | None, axes: ArraySpec | None, keep: bool, reduce_to_end: bool = False) -> Shape | None:
    """The shape that is left; dims are unknown, or the rank is, where ``axes`` is not a constant.

    Args:
        shape: of the array that is reduced.
        axes: as in ``reduced_axes``.
        keep: whether reduced dims stay as 1.
        reduce_to_end: as in ``reduced_axes``.

    Raises:
        KernelInputError: as ``reduced_axes``, or ``axes`` are not integers.
    """
    if axes is not None:
        check_dtype(axes, INTS, "axes")
    if axes is not None and axes.value is None:
        return _shape_for_unknown_axes(shape, axes, keep, reduce_to_end)
    if shape is None:
        all_axes = not reduce_to_end and (axes is None or axes.shape == (0,))
        return () if all_axes and not keep else None
    over = reduced_axes(None if axes is None else axes.value, len(shape), reduce_to_end)
    if keep:
        return tuple(1 if i in over else dim for i, dim in enumerate(shape))
    return tuple(dim for i, dim in enumerate(shape) if i not in over)


def _shape_for_unknown_axes(shape: Shape | None, axes: ArraySpec, keep: bool, reduce_to_end: bool) -> Shape | None:
    if shape is None or reduce_to_end:
        return None
    if keep:
        return (UNKNOWN,) * len(shape)
    if axes.shape is None or not axes.known:
        return None
    count = math.prod(axes.shape) or len(shape)
    if count > len(shape):
        raise KernelInputError(f"{count} axes named for rank {len(shape)}")
    return (UNKNOWN,) * (len(shape) - count)
