"""Reshapes: axes that are split and merged, in the order that the backend's tensor is in where that is possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..lowering import Lowering, constant_value
from ..term import Axes, Lowered, Shape, identity, moving
from .results import as_model

Group = tuple[list[int], list[int]]
"""Axes before and axes after a reshape that hold the same elements."""


def reshaped(lowering: Lowering, value: Lowered, shape: Shape) -> Lowered:
    """A tensor's elements, in the order of the model's axes, in another shape.

    Axes that are split or merged stay where they are among the other axes: channels of a backend's image are split into
    groups without a transpose. Axes that are merged are first brought together, in the model's order.
    """
    if shape == value.shape:
        return value
    if value.constant is not None:
        return constant_value(value.constant.reshape(shape))
    before, after = _orders(value, shape)
    source, physical = lowering.in_order(value, before), tuple(shape[axis] for axis in after)
    term = lowering.emit("Reshape", [source, lowering.ints(physical)], value.dtype, physical)
    return as_model(term) if after == identity(len(shape)) else Lowered(shape, value.dtype, after, term)


def _orders(value: Lowered, shape: Shape) -> tuple[Axes, Axes]:
    """The order of axes before the reshape, and the order after it.

    Where a transpose is needed, it stays within the merged axes if these are neighbors: an image's shuffled channels
    stay outside of its rows and columns. Otherwise the model's own order results.
    """
    plain = identity(value.rank), identity(len(shape))
    lies = moving(value.order, value.shape)
    if value.order == plain[0] or 0 in shape or not lies:
        return plain
    groups = sorted(_groups(value.shape, shape), key=lambda group: min(map(lies.index, group[0])))
    before, after = ([axis for group in groups for axis in group[side]] for side in (0, 1))
    if before == lies:
        return value.order, _with_ones(after, shape)
    if plain[0] in value.made or not all(_are_neighbors(axes, lies) for axes, _ in groups):
        return plain
    return _with_ones(before, value.shape), _with_ones(after, shape)


def _are_neighbors(axes: Sequence[int], order: Sequence[int]) -> bool:
    places = [order.index(axis) for axis in axes]
    return max(places) - min(places) == len(places) - 1


def _with_ones(order: Sequence[int], shape: Shape) -> Axes:
    return (*(axis for axis, dim in enumerate(shape) if dim == 1), *order)


def _groups(old: Shape, new: Shape) -> Iterator[Group]:
    """The axes of more than one element, in the smallest groups that a reshape leaves to themselves."""
    before, after = ([axis for axis, dim in enumerate(shape) if dim != 1] for shape in (old, new))
    while before:
        taken, made = [before.pop(0)], [after.pop(0)]
        size, room = old[taken[0]], new[made[0]]
        while size != room:
            if size < room:
                taken.append(before.pop(0))
                size *= old[taken[-1]]
            else:
                made.append(after.pop(0))
                room *= new[made[-1]]
        yield taken, made
