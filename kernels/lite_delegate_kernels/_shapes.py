"""Axes, broadcasting and unknown dimensions: what most operators need for their shapes."""

from __future__ import annotations

from collections.abc import Iterable

from ._kernel import UNKNOWN, KernelInputError, Shape


def normalize_axis(axis: int, rank: int) -> int:
    """``axis`` counted from the start.

    Raises:
        KernelInputError: ``axis`` is not in ``[-rank, rank)``.
    """
    if not -rank <= axis < rank:
        raise KernelInputError(f"axis {axis} is out of range for rank {rank}, expected {-rank}..{rank - 1}")
    return axis + rank if axis < 0 else axis


def normalize_axes(axes: Iterable[int], rank: int) -> tuple[int, ...]:
    """Each axis counted from the start, in the given order.

    Raises:
        KernelInputError: an axis is out of range or named twice.
    """
    result = tuple(normalize_axis(int(a), rank) for a in axes)
    if len(set(result)) != len(result):
        raise KernelInputError(f"axes {list(result)} name one axis twice")
    return result


def broadcast_shapes(*shapes: Shape | None) -> Shape | None:
    """The numpy broadcast of shapes that may hold ``UNKNOWN``; None when a rank is not known.

    An unknown dimension against one above 1 gives that one (the model runs only if they agree).

    Raises:
        KernelInputError: two known dimensions differ and neither is 1.
    """
    known = [s for s in shapes if s is not None]
    if len(known) != len(shapes):
        return None
    rank = max((len(s) for s in known), default=0)
    padded = [(1,) * (rank - len(s)) + s for s in known]
    return tuple(_broadcast_dim([s[i] for s in padded], known) for i in range(rank))


def _broadcast_dim(dims: list[int], shapes: list[Shape]) -> int:
    fixed = {d for d in dims if d not in (1, UNKNOWN)}
    if len(fixed) > 1:
        raise KernelInputError(f"shapes {', '.join(map(str, shapes))} cannot be broadcast together")
    if fixed:
        return fixed.pop()
    return UNKNOWN if UNKNOWN in dims else 1


def element_count(shape: Shape) -> int:
    """The number of elements, ``UNKNOWN`` when a dimension is unknown and none is 0."""
    if 0 in shape:
        return 0
    if UNKNOWN in shape:
        return UNKNOWN
    count = 1
    for dim in shape:
        count *= dim
    return count
