"""Views between groups of axes: what becomes of a permutation on the other side of a reshape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...compiler.layout import Axes
from ...device.instruction import Shape

Group = tuple[Axes, Axes]
"""Axes of the operand and axes of the result that hold the same elements in the same order."""


def signature(shape: Shape, axes: Axes) -> Axes:
    """What of a permutation decides where elements lie in memory: the order of the axes longer than 1."""
    return tuple(axis for axis in axes if shape[axis] != 1)


def groups_of(source: Shape, target: Shape) -> tuple[Group, ...]:
    """The smallest groups of neighbouring axes, axes of size 1 left out, that a view from one shape to the other keeps.

    (2, 3, 4) to (6, 4) has the groups ((0, 1), (0,)) and ((2,), (1,)). Both shapes have as many elements, which
    must be more than none.
    """
    left, right = ([axis for axis, size in enumerate(shape) if size != 1] for shape in (source, target))
    groups: list[Group] = []
    while left or right:
        ins, outs = [left.pop(0)], [right.pop(0)]
        size_in, size_out = source[ins[0]], target[outs[0]]
        while size_in != size_out:
            if size_in < size_out:
                ins.append(left.pop(0))
                size_in *= source[ins[-1]]
            else:
                outs.append(right.pop(0))
                size_out *= target[outs[-1]]
        groups.append((tuple(ins), tuple(outs)))
    return tuple(groups)


@dataclass(frozen=True, slots=True)
class Regrouping:
    """A view from one shape to another, as far as permutations of its operand can be done to its result instead."""

    source: Shape
    target: Shape
    groups: tuple[Group, ...]

    def result(self, axes: Axes) -> Axes | None:
        """The permutation of the result that goes with this one of the operand; None where a group is torn apart."""
        order = _across(signature(self.source, axes), dict(self.groups))
        return None if order is None else with_unit_axes(self.target, order)

    def operand(self, axes: Axes) -> Axes | None:
        """The permutation of the operand that goes with this one of the result; None where a group is torn apart."""
        order = _across(signature(self.target, axes), {outs: ins for ins, outs in self.groups})
        return None if order is None else with_unit_axes(self.source, order)


def regrouping(source: Shape, target: Shape) -> Regrouping:
    """The view from one shape to another of as many elements."""
    return Regrouping(source, target, () if 0 in source else groups_of(source, target))


def _across(order: Axes, groups: dict[Axes, Axes]) -> Axes | None:
    by_first = {inside[0]: inside for inside in groups}
    result: list[int] = []
    position = 0
    while position < len(order):
        inside = by_first.get(order[position])
        if inside is None or order[position : position + len(inside)] != inside:
            return None
        result.extend(groups[inside])
        position += len(inside)
    return tuple(result)


def with_unit_axes(shape: Shape, order: Sequence[int]) -> Axes:
    """The permutation with its axes longer than 1 in that order; each axis of size 1 comes before what it is before."""
    result = list(order)
    for axis in reversed(range(len(shape))):
        if shape[axis] == 1:
            result.insert(result.index(axis + 1) if axis + 1 < len(shape) else len(result), axis)
    return tuple(result)
