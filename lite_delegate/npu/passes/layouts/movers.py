"""Movers: the permutations of its operands that each step can run under."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ....basics.data_class import dataclass
from ....ir.axes import Axes, identity, inverse
from ....passes.transposes.groups import Group
from ...device.programs.instruction import Instruction, Shape
from .regroup import Regrouping, signature


class Mover(ABC):
    """Rules on whether a step may take its operands permuted, and how its result then comes out.

    This default is for a step whose axes have a fixed meaning: it may not.
    """

    @abstractmethod
    def result(self, axes: Axes) -> Axes | None:
        """The permutation of the result when the operands are permuted by ``axes``; None when they must not be."""

    @abstractmethod
    def operand(self, axes: Axes) -> Axes | None:
        """The permutation of the operands for a result permuted by ``axes``; None when no permutation gives it."""


@dataclass(frozen=True, slots=True)
class Fixed(Mover):
    """A step whose axes have a fixed meaning, or one without a rule."""

    def result(self, axes: Axes) -> Axes | None:
        return None

    def operand(self, axes: Axes) -> Axes | None:
        return None


@dataclass(frozen=True, slots=True)
class Free(Mover):
    """An input: the copy that crosses gives it any order."""

    def result(self, axes: Axes) -> Axes | None:
        return axes

    def operand(self, axes: Axes) -> Axes | None:
        return axes


@dataclass(frozen=True, slots=True)
class Reordering(Mover):
    """A step that follows the order of its operands, as ``Instruction.reordered`` says; all are of one rank."""

    instruction: Instruction

    def result(self, axes: Axes) -> Axes | None:
        return None if self.instruction.reordered(inverse(axes)) is None else axes

    def operand(self, axes: Axes) -> Axes | None:
        return self.result(axes)


@dataclass(frozen=True, slots=True)
class Across(Mover):
    """A view, as far as groups of axes stay together."""

    regrouping: Regrouping

    def result(self, axes: Axes) -> Axes | None:
        return self.regrouping.result(axes)

    def operand(self, axes: Axes) -> Axes | None:
        return self.regrouping.operand(axes)


@dataclass(frozen=True, slots=True)
class Absorbing(Mover):
    """A view that makes several axes one, which is then summed over in matrix products with constants.

    The axes that become one may come in any order: the constants' rows are brought into the same one.
    """

    source: Shape
    target: Shape
    groups: tuple[Group, ...]

    def result(self, axes: Axes) -> Axes | None:
        order, head = signature(self.source, axes), self._head()
        fits = order[: len(head)] == head
        return identity(len(self.target)) if fits else None

    def operand(self, axes: Axes) -> Axes | None:
        return None

    @property
    def sizes(self) -> Shape:
        """The sizes of the axes that become one axis, in the order of the given operand."""
        return tuple(self.source[axis] for axis in self.groups[-1][0])

    def rows(self, axes: Axes) -> Axes:
        """The permutation of the axes that become one, when the operand is permuted by ``axes``."""
        inside = self.groups[-1][0]
        return tuple(inside.index(axis) for axis in signature(self.source, axes) if axis in inside)

    def _head(self) -> Axes:
        return tuple(axis for ins, _ in self.groups[:-1] for axis in ins)
