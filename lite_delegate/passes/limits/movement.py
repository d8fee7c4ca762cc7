"""Movement: the effect of a chain of reshapes, transposes and slices on a tensor, as one object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from ...basics.data_class import dataclass

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Factor:
    """A digit of the places of a tensor: ``size`` values, of which the values from ``start`` to ``stop`` are taken."""

    size: int
    start: int
    stop: int

    @property
    def length(self) -> int:
        """The number of places that are taken."""
        return self.stop - self.start

    @property
    def is_whole(self) -> bool:
        """True where every place is taken."""
        return self.length == self.size


@dataclass(frozen=True, slots=True)
class Movement:
    """The elements of a tensor in another order, after reshapes, transposes and slices.

    The places of the tensor, read row by row, are a mixed-radix number, whose digits are ``factors``. Each factor has a
    range of taken values. The result reads the digits of more than one value in ``order``; its ``shape`` only says how
    many places a row has. Neighbors that stay neighbors are one factor, so that equal movements of a shape have equal
    factors and orders.

    Attributes:
        root: the shape of the tensor, no dimension 0.
        factors: in the tensor's order; their sizes multiply to its size.
        order: positions in ``factors`` of the factors of more than one place, in the result's order.
        shape: the shape of the result.
    """

    root: Shape
    factors: tuple[Factor, ...]
    order: tuple[int, ...]
    shape: Shape

    @classmethod
    def of(cls, shape: Sequence[int]) -> Movement:
        """The movement that leaves a tensor of this shape as it is."""
        size = prod(shape)
        return cls(tuple(shape), (Factor(size, 0, size),), (0,) if size > 1 else (), tuple(shape))

    @property
    def moves_nothing(self) -> bool:
        """True where the result has all elements in the order in which they were, whatever its shape."""
        return all(factor.is_whole for factor in self.factors) and self.order == tuple(sorted(self.order))

    def reshaped(self, shape: Sequence[int]) -> Movement:
        """The movement with its result in another shape of as many elements."""
        return replace(self, shape=tuple(shape))

    def transposed(self, axes: Sequence[int]) -> Movement | None:
        """With result axis i taken from axis ``axes[i]``; None where an axis is no whole number of factors."""
        split = self.split()
        if split is None:
            return None
        order = tuple(position for axis in axes for position in split.runs[axis])
        return merged_factors(Movement(self.root, split.factors, order, tuple(self.shape[axis] for axis in axes)))

    def sliced(self, axis: int, start: int, stop: int) -> Movement | None:
        """The part of an axis from ``start`` to ``stop``; None where that is no range of its factors."""
        if (start, stop) == (0, self.shape[axis]):
            return self
        split = self.split()
        factors = None if split is None else _narrowed(split.factors, split.runs[axis], start, stop)
        if split is None or factors is None:
            return None
        order = tuple(p for run in split.runs for p in run if factors[p].length > 1)
        shape = (*self.shape[:axis], stop - start, *self.shape[axis + 1 :])
        return merged_factors(Movement(self.root, factors, order, shape))

    def split(self) -> AxisFactors | None:
        """The factors cut where the axes of ``shape`` begin; None where a range cannot be cut there."""
        factors, order, runs = list(self.factors), list(self.order), []
        done = 0
        for size in self.shape:
            first = done
            while size > 1:
                length = factors[order[done]].length
                if length > size and not _cut(factors, order, done, size):
                    return None
                length = factors[order[done]].length
                if size % length:
                    return None
                size //= length
                done += 1
            runs.append((first, done))
        return AxisFactors(tuple(factors), tuple(tuple(order[first:end]) for first, end in runs))


@dataclass(frozen=True, slots=True)
class AxisFactors:
    """The factors of a movement and, for each axis of its result, the positions of the axis's factors."""

    factors: tuple[Factor, ...]
    runs: tuple[tuple[int, ...], ...]


def _cut(factors: list[Factor], order: list[int], place: int, length: int) -> bool:
    """Cuts a factor in two, so that the outer factor keeps ``length`` places. False where that is impossible."""
    position = order[place]
    factor = factors[position]
    inner = factor.length // length
    if factor.length % length or any(edge % inner for edge in (factor.size, factor.start, factor.stop)):
        return False
    outer = Factor(factor.size // inner, factor.start // inner, factor.stop // inner)
    factors[position : position + 1] = [outer, Factor(inner, 0, inner)]
    order[:] = [p + (p > position) for p in order]
    order.insert(place + 1, position + 1)
    return True


def _narrowed(factors: Sequence[Factor], run: Sequence[int], start: int, stop: int) -> tuple[Factor, ...] | None:
    """The factors with the factors of an axis narrowed to the places from ``start`` to ``stop``."""
    made = list(factors)
    for place, position in enumerate(run):
        factor, inner = made[position], prod(made[p].length for p in run[place + 1 :])
        if start % inner == 0 and stop % inner == 0:
            made[position] = Factor(factor.size, factor.start + start // inner, factor.start + stop // inner)
            return tuple(made)
        index = start // inner
        if index != (stop - 1) // inner:
            return None
        made[position] = Factor(factor.size, factor.start + index, factor.start + index + 1)
        start, stop = start - index * inner, stop - index * inner
    return tuple(made)


def merged_factors(movement: Movement) -> Movement:
    """The movement with as few factors as possible."""
    factors, order = list(movement.factors), list(movement.order)
    position = 0
    while position + 1 < len(factors):
        outer, inner = factors[position], factors[position + 1]
        if not _can_merge(order, position, outer, inner):
            position += 1
            continue
        if inner.length > 1 and outer.length > 1:
            order.remove(position + 1)
        start = outer.start * inner.size + inner.start
        stop = (outer.stop - 1) * inner.size + inner.stop
        factors[position : position + 2] = [Factor(outer.size * inner.size, start, stop)]
        order = [p - (p > position) for p in order]
    return replace(movement, factors=tuple(factors), order=tuple(order))


def _can_merge(order: Sequence[int], position: int, outer: Factor, inner: Factor) -> bool:
    if outer.length == 1:
        return True
    if not inner.is_whole:
        return False
    return inner.length == 1 or order.index(position + 1) == order.index(position) + 1
