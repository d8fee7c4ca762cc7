"""Grids: ways to cut one step into tiles, and what each of them costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from ...device.instruction import Instruction
from ...device.memory import aligned
from ...device.program import Buffer
from .box import Box, whole
from .rule import TERMS, Part, Rule

FLOAT32_BYTES = 4
ACCUMULATORS = 3
"""Buffers of partial sums in use at once: the sum so far, the next tile's, and their sum."""


@dataclass(frozen=True, slots=True)
class Tile:
    """One tile of a grid.

    Attributes:
        box: of the result that it computes, or adds to.
        part: what computes it.
        last: whether it is the last of the tiles that add to its box; alone, where sums are not cut.
    """

    box: Box
    part: Part
    last: bool


@dataclass(frozen=True, slots=True)
class Problem:
    """A step that is to be cut.

    Attributes:
        rule: of its instruction.
        operands: its operand buffers.
        output: its result.
        units: of how many positions each cut is a multiple, by axis.
    """

    instruction: Instruction
    rule: Rule[Any]
    operands: tuple[Buffer, ...]
    output: Buffer
    units: Mapping[int, int]

    def extent(self, axis: int) -> int:
        """Positions along an axis of the result, or terms of its sums."""
        if axis == TERMS:
            return self.rule.terms(self.instruction, [b.shape for b in self.operands])
        return self.output.shape[axis]

    def part(self, box: Box, terms: tuple[int, int] | None) -> Part:
        """What computes a box, or some terms of it."""
        part = self.rule.part(self.instruction, [b.shape for b in self.operands], box)
        return part if terms is None else self.rule.partial(part, *terms, first=terms[0] == 0)

    def operand_bytes(self, part: Part) -> list[int]:
        """The bytes of what a part reads, operand by operand."""
        return [
            aligned(box.elements * buffer.element.numpy.itemsize)
            for box, buffer in zip(part.boxes, self.operands, strict=False)
        ]


@dataclass(frozen=True, slots=True)
class Grid:
    """How often each axis is cut, outermost first: tiles follow each other along the last axis first.

    ``TERMS``, if it is cut, comes last.
    """

    counts: tuple[tuple[int, int], ...]

    def count(self, axis: int) -> int:
        """Parts along an axis."""
        return dict(self.counts).get(axis, 1)

    @property
    def tiles(self) -> int:
        """How many tiles there are."""
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


def tiles(problem: Problem, grid: Grid) -> Iterator[Tile]:
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


def working_set(problem: Problem, grid: Grid, *, doubled: bool) -> int:
    """The bytes of the scratchpad that the largest tile needs.

    Args:
        doubled: what changes from one tile to the next counts twice, so that transfers for one tile can go on while
            another one is computed.
    """
    widest = [_widest(problem, axis, count) for axis, count in grid.counts]
    box, terms = whole(problem.output.shape), None
    for (axis, _), (start, stop) in zip(grid.counts, widest, strict=True):
        if axis == TERMS:
            terms = (start, stop)
        else:
            box = box.with_along(axis, start, stop)
    part = problem.part(box, terms)
    itemsize = FLOAT32_BYTES * ACCUMULATORS if terms else problem.output.element.numpy.itemsize * (1 + doubled)
    total = aligned(box.elements * itemsize)
    moving = _moving(problem, grid)
    for nbytes, moves in zip(problem.operand_bytes(part), moving, strict=False):
        total += nbytes * (1 + (doubled and moves))
    return total


def _widest(problem: Problem, axis: int, count: int) -> tuple[int, int]:
    """The stretch along an axis whose tiles read most."""
    found = intervals(problem.extent(axis), problem.units[axis], count)
    if axis == TERMS:
        return found[0]

    def nbytes(stretch: tuple[int, int]) -> int:
        return sum(problem.operand_bytes(problem.part(whole(problem.output.shape).with_along(axis, *stretch), None)))

    return max(dict.fromkeys((found[0], found[len(found) // 2], found[-1])), key=nbytes)


def _moving(problem: Problem, grid: Grid) -> list[bool]:
    """For each operand, whether consecutive tiles read different boxes of it."""
    axis, count = grid.counts[-1]
    if count == 1:
        return [False] * len(problem.operands)
    last = Grid(((axis, count),))
    first, second, *_ = tiles(problem, last)
    moves = [a != b for a, b in zip(first.part.boxes, second.part.boxes, strict=False)]
    return [*moves, *[True] * (len(problem.operands) - len(moves))]


def bytes_moved(problem: Problem, grid: Grid, capacity: int) -> int:
    """The bytes that go between the memories: results, and what each tile reads unless the one before has read it.

    Partial sums, which stay in the scratchpad, count once more each; results that are put together twice, because
    they are cut along two axes and strips of them exceed the scratchpad, count twice more.
    """
    total, before = 0, list[Box | None]([None] * len(problem.operands))
    for tile in tiles(problem, grid):
        for i, nbytes in enumerate(problem.operand_bytes(tile.part)):
            if tile.part.boxes[i] != before[i]:
                total += nbytes
                before[i] = tile.part.boxes[i]
        if grid.count(TERMS) > 1:
            total += tile.box.elements * FLOAT32_BYTES
    result = problem.output.nbytes
    cut = [count for axis, count in grid.counts if axis != TERMS and count > 1]
    nested = len(cut) > 1 and 2 * result > capacity * cut[0]
    return total + result * (3 if nested else 1)
