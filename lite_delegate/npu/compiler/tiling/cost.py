"""Costs of a grid in the memories: the scratchpad that its tiles need, and the bytes that it moves.

Each axis of an operand is cut by one axis of the grid at most. So the elements that tiles read of an operand are a
product over the axes of the grid, and each axis can be examined by itself.
"""

from __future__ import annotations

import math

from ....basics.data_class import dataclass
from ...device.programs.memory import aligned
from .grid import Problem, TileGrid, intervals, stretch_boxes
from .rule import TERMS

FLOAT32_BYTES = 4
ACCUMULATORS = 3
"""Buffers of partial sums in use at once: the sum so far, the next tile's, and their sum."""


@dataclass(frozen=True, slots=True)
class OperandReads:
    """Elements of one operand that the parts along one axis read, everything along the other axes.

    Attributes:
        most: of one part.
        total: of all parts one after another.
        changes: whether some part reads another box than the one before.
    """

    most: int
    total: int
    changes: bool


class Costs:
    """Costs of grids for one problem; results for an axis are kept.

    Args:
        problem: the step to cut.
        capacity: bytes of the scratchpad.
        setup: bytes that could be moved in the time that it takes to set up a transfer.
    """

    def __init__(self, problem: Problem, capacity: int, setup: int) -> None:
        self._problem = problem
        self._capacity = capacity
        self._setup = setup
        self._elements = [math.prod(buffer.shape) for buffer in problem.operands]
        self._readings: dict[tuple[int, int], list[OperandReads]] = {}

    def fits(self, grid: TileGrid, *, doubled: bool) -> bool:
        """True when the largest tile fits into the scratchpad.

        Args:
            doubled: buffers that change from one tile to the next count twice, so that transfers for one tile can go on
                while another tile is computed.
        """
        return self._working_set(grid, doubled) <= self._capacity

    def _working_set(self, grid: TileGrid, doubled: bool) -> int:
        output = self._problem.output
        largest = 1
        for axis, dim in enumerate(output.shape):
            unit = self._problem.units.get(axis, 1)
            largest *= -(-(dim // unit) // grid.count(axis)) * unit if grid.count(axis) > 1 else dim
        sums = grid.count(TERMS) > 1
        itemsize = FLOAT32_BYTES * ACCUMULATORS if sums else output.element.numpy.itemsize * (1 + doubled)
        total = aligned(largest * itemsize)
        for i, buffer in enumerate(self._problem.operands):
            readings = [self._reading(axis, count)[i] for axis, count in grid.counts]
            nbytes = aligned(self._product(i, [r.most for r in readings]) * buffer.element.numpy.itemsize)
            total += nbytes * (1 + (doubled and any(r.changes for r in readings)))
        return total

    def bytes_moved(self, grid: TileGrid) -> int:
        """The bytes that go between the memories: results, and each tile's operands that the tile before has not read.

        Partial sums, which stay in the scratchpad, count once more each; results that are put together twice, because
        they are cut along two axes and their strips exceed the scratchpad, count twice more. Each transfer counts the
        bytes that could be moved while it is set up.
        """
        output = self._problem.output
        result = output.nbytes
        cut = [count for axis, count in grid.counts if axis != TERMS and count > 1]
        total = result * (3 if len(cut) > 1 and 2 * result > self._capacity * cut[0] else 1)
        if grid.count(TERMS) > 1:
            total += math.prod(output.shape) * FLOAT32_BYTES * grid.count(TERMS)
        for i, buffer in enumerate(self._problem.operands):
            elements, transfers = self._transfers(i, grid)
            total += elements * buffer.element.numpy.itemsize + transfers * self._setup
        return total + grid.tiles * self._setup

    def _transfers(self, operand: int, grid: TileGrid) -> tuple[int, int]:
        """The elements of an operand that all tiles read anew, and the number of transfers."""
        kept, totals, transfers = True, [], 1
        for axis, count in reversed(grid.counts):
            reading = self._reading(axis, count)[operand]
            kept = kept and not reading.changes
            totals.append(self._elements[operand] if kept else reading.total)
            transfers *= 1 if kept else count
        return self._product(operand, totals), transfers

    def _product(self, operand: int, along: list[int]) -> int:
        """The elements of a box, from the elements of the boxes that are cut along one axis only; exact."""
        whole = self._elements[operand]
        return int(math.prod(along) // whole ** (len(along) - 1)) if whole else 0

    def _reading(self, axis: int, count: int) -> list[OperandReads]:
        if (axis, count) not in self._readings:
            self._readings[axis, count] = self._find_reading(axis, count)
        return self._readings[axis, count]

    def _find_reading(self, axis: int, count: int) -> list[OperandReads]:
        stretches = intervals(self._problem.extent(axis), self._problem.units[axis], count)
        reads = [stretch_boxes(self._problem, axis, stretch) for stretch in stretches]
        found = []
        for i in range(len(self._problem.operands)):
            boxes = [read[i] for read in reads if i < len(read)]
            changes = any(box != boxes[0] for box in boxes)
            sizes = [box.elements for box in boxes]
            found.append(OperandReads(max(sizes), sum(sizes) if changes else sizes[0] * count, changes))
        return found
