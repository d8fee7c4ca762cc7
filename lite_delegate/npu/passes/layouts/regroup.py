"""Views between groups of axes: the permutation on one side of a reshape that equals one on the other side."""

from __future__ import annotations

from functools import lru_cache

from ....basics.data_class import dataclass
from ....ir.axes import Axes
from ....passes.transposes.groups import Group, across, groups_of
from ...device.programs.instruction import Shape


@lru_cache
def signature(shape: Shape, axes: Axes) -> Axes:
    """The part of a permutation that decides where elements lie in memory: the order of the axes longer than 1."""
    return tuple([axis for axis in axes if shape[axis] != 1])


@dataclass(frozen=True, slots=True)
class Regrouping:
    """A view from one shape to another, as far as permutations of its operand can be done to its result instead."""

    source: Shape
    target: Shape
    groups: tuple[Group, ...]

    def result(self, axes: Axes) -> Axes | None:
        """The permutation of the result that goes with this one of the operand; None where a group is torn apart."""
        return self._cross(axes, self.source, self.groups, self.target)

    def operand(self, axes: Axes) -> Axes | None:
        """The permutation of the operand that goes with this one of the result; None where a group is torn apart."""
        return self._cross(axes, self.target, tuple((outs, ins) for ins, outs in self.groups), self.source)

    def _cross(self, axes: Axes, here: Shape, groups: tuple[Group, ...], there: Shape) -> Axes | None:
        """None, too, for views without elements, which have no groups."""
        return across(axes, groups, there) if groups or not signature(here, axes) else None


def regrouping(source: Shape, target: Shape) -> Regrouping:
    """The view from one shape to another of as many elements."""
    return Regrouping(source, target, () if 0 in source else groups_of(source, target))
