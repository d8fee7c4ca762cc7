"""Grouping: axes that are merged so that a tensor has fewer of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import prod

from ...ir.axes import Axes
from .movement import Shape

FREE = None
"""The label of an axis that may be merged with any neighbor: it has one element in all operands and results."""


def grouped(labels: Sequence[Hashable], most: int) -> tuple[Axes, ...] | None:
    """Axes in at most ``most`` groups of neighbors; None where that is impossible.

    Free axes are merged first, then axes in front, so that the last axes stay as they are as far as possible.

    Args:
        labels: the label of each axis; neighbors of one label may be merged, and ``FREE`` axes with any neighbor.
        most: the largest number of groups, 1 or more.
    """
    groups: list[tuple[Axes, Hashable]] = [((axis,), label) for axis, label in enumerate(labels)]
    while len(groups) > most:
        pairs = [k for k in range(len(groups) - 1) if groups[k][1] == groups[k + 1][1]]
        free = [k for k in range(len(groups) - 1) if FREE in (groups[k][1], groups[k + 1][1])]
        if not pairs and not free:
            return None
        first = (free or pairs)[0]
        (left, label), (right, other) = groups[first : first + 2]
        groups[first : first + 2] = [(left + right, other if label is FREE else label)]
    return tuple(axes for axes, _ in groups)


def merged_shape(shape: Shape, groups: Sequence[Axes]) -> Shape:
    """The shape of a tensor whose axes were merged."""
    return tuple(prod(shape[axis] for axis in axes) for axes in groups)


def place_of(axis: int, groups: Sequence[Axes]) -> int:
    """The group that an axis is in."""
    return next(place for place, axes in enumerate(groups) if axis in axes)
