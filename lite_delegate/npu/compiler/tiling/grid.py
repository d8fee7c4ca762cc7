"""Grids: ways to cut one step into tiles, and the cost of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from itertools import product
from typing import Any

from ....basics.data_class import dataclass
from ...device.programs.instruction import Instruction
from ...device.programs.program import Buffer
from .box import Box, whole
from .rule import TERMS, Rule, SumRule, TiledPart


@dataclass(frozen=True, slots=True)
class Tile:
    """One tile of a grid.

    Attributes:
        box: the box of the result that it computes, or adds to.
        part: the computation of the box.
        last: whether it is the last tile that adds to its box; the only tile, where sums are not cut.
    """

    box: Box
    part: TiledPart
    last: bool


@dataclass(frozen=True, slots=True)
class Problem:
    """A step to cut. Steps with equal computations on buffers of equal shapes are equal problems.

    Attributes:
        rule: the tiling rule of its instruction.
        operands: its operand buffers.
        output: its result.
        units: the number of positions that each cut is a multiple of, by axis.
    """

    instruction: Instruction
    rule: Rule[Any]
    operands: tuple[Buffer, ...]
    output: Buffer
    units: Mapping[int, int] = field(compare=False)

    @property
    def sums(self) -> SumRule[Any]:
        """The rule, of an instruction whose ``units`` have ``TERMS``."""
        assert isinstance(self.rule, SumRule)
        return self.rule

    def extent(self, axis: int) -> int:
        """Positions along an axis of the result, or terms of its sums."""
        if axis == TERMS:
            return self.sums.terms(self.instruction, [b.shape for b in self.operands])
        return self.output.shape[axis]

    def part(self, box: Box, terms: tuple[int, int] | None) -> TiledPart:
        """The computation of a box, or of some terms of its sums."""
        part = self.rule.part(self.instruction, [b.shape for b in self.operands], box)
        return part if terms is None else self.sums.partial(part, *terms, first=terms[0] == 0)


@dataclass(frozen=True, slots=True)
class TileGrid:
    """The number of cuts of each axis, outermost first: tiles follow each other along the last axis first.

    ``TERMS``, if it is cut, comes last.
    """

    counts: tuple[tuple[int, int], ...]

    def count(self, axis: int) -> int:
        """Parts along an axis."""
        return dict(self.counts).get(axis, 1)

    @property
    def tiles(self) -> int:
        """The number of tiles."""
        result = 1
        for _, count in self.counts:
            result *= count
        return result


def intervals(extent: int, unit: int, count: int) -> list[tuple[int, int]]:
    """``count`` stretches of 0 to ``extent``, as equal as multiples of ``unit`` can be, longer ones first."""
    whole_units = extent // unit
    size, rest = divmod(whole_units, count)
    starts = [unit * (size * i + min(i, rest)) for i in range(count)]
    return list(zip(starts, [*starts[1:], extent], strict=True))


def tiles(problem: Problem, grid: TileGrid) -> Iterator[Tile]:
    """The tiles in the order in which they run."""
    choices = [intervals(problem.extent(axis), problem.units[axis], count) for axis, count in grid.counts]
    for chosen in product(*choices):
        box, terms = whole(problem.output.shape), None
        for (axis, _), (start, stop) in zip(grid.counts, chosen, strict=True):
            if axis == TERMS:
                terms = (start, stop)
            else:
                box = box.with_along(axis, start, stop)
        yield Tile(box, problem.part(box, terms), terms is None or terms[1] == problem.extent(TERMS))


def stretch_boxes(problem: Problem, axis: int, stretch: tuple[int, int]) -> tuple[Box, ...]:
    """The box that is read of each operand for a stretch along one axis and the whole of the other axes."""
    box = whole(problem.output.shape)
    if axis == TERMS:
        return problem.part(box, stretch).boxes
    shapes = [b.shape for b in problem.operands]
    return problem.rule.boxes(problem.instruction, shapes, box.with_along(axis, *stretch))
