"""The rewriting of a module: each step that exceeds the scratchpad and can be split becomes tiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from ...device.instructions.binary import Binary, BinaryFunction
from ...device.instructions.functions import UNFUSED, Fused
from ...device.instructions.movement import Concatenate
from ...device.programs.instruction import Array, Instruction
from ...device.programs.memory import ALIGNMENT
from ...device.programs.program import Buffer, ElementType, ProgramStep
from ...ir.editing import UniqueNames, without_dead
from ...ir.module import MakeConstant, Module
from .box import Box, whole
from .grid import Problem, Tile, TileGrid, tiles
from .rule import TERMS
from .rules import RULES
from .search import best_grid


def tile(module: Module, capacity: int, setup: int = ALIGNMENT) -> Module:
    """The module with every step split whose operands and result exceed ``capacity`` bytes together.

    1. ``NAME`` becomes tiles ``NAME@soc=M/N``, M from 1 to N, each on slices of the operands, ``NAME/split@soc=M/N``;
       slices of constants are constants. A slice that the tile before has read, too, is not made again.
    2. ``NAME/concat`` puts results together; where two axes are cut, a step for each strip comes before.
    3. Where sums are cut, tiles give float32 sums, which ``NAME/sum`` steps add up in order; the last step applies the
       fused functions, and rounds.

    A step without a rule, or without a grid that fits, stays whole. Returns the given module when no step is split.

    Args:
        module: the module to run.
        capacity: bytes of the scratchpad.
        setup: bytes that the DMA engines could move in the time that it takes to set up a transfer.
    """
    problems = {step.output: problem for step in module.steps if (problem := _problem(module, step, capacity))}
    best = {problem: best_grid(problem, capacity, setup) for problem in dict.fromkeys(problems.values())}
    grids = {output: grid for output, problem in problems.items() if (grid := best[problem])}
    if not grids:
        return module
    tiling = _Tiling(module)
    for step in module.steps:
        if step.output in grids:
            tiling.split(step, problems[step.output], grids[step.output])
        else:
            tiling.steps.append(step)
    return tiling.finish()


def _problem(module: Module, step: ProgramStep, capacity: int) -> Problem | None:
    """The tiling of a step; None for a step that fits or that no rule is about."""
    output = module.buffers[step.output]
    used = sum([module.buffers[i].footprint for i in {*step.operands, step.output}])
    rule = RULES.get(type(step.instruction))
    if used <= capacity or rule is None or not output.nbytes:
        return None
    operands = tuple(module.buffers[i] for i in step.operands)
    units = rule.units(step.instruction, [b.shape for b in operands], output.shape)
    return Problem(step.instruction, rule, operands, output, units)


class _Tiling:
    """A module that grows: buffers and constants are added, steps collected anew."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._buffers = list(module.buffers)
        self._constants = dict(module.constants)
        self._names = UniqueNames(step.name for step in module.steps)
        self._cut: dict[tuple[int, Box], int] = {}
        self._whole: dict[int, MakeConstant] = {}
        self.steps: list[ProgramStep] = []

    def split(self, step: ProgramStep, problem: Problem, grid: TileGrid) -> None:
        """Adds the tiles that a step becomes."""
        results: list[int] = []
        partial: list[int] = []
        reused: dict[int, tuple[Box, int]] = {}
        for number, each in enumerate(tiles(problem, grid), start=1):
            mark = f"@soc={number}/{grid.tiles}"
            operands = [self._read(step, position, box, mark, reused) for position, box in enumerate(each.part.boxes)]
            if grid.count(TERMS) == 1:
                results.append(self._add(step, each.part.instruction, operands, each.box, step.name + mark))
                continue
            partial.append(self._add(step, each.part.instruction, operands, each.box, step.name + mark, exact=True))
            if len(partial) == 2:
                partial = [self._sum(step, partial, each, problem.sums.fused(step.instruction))]
            if each.last:
                results.append(partial.pop())
        self._concatenate(step, [axis_count for axis_count in grid.counts if axis_count[0] != TERMS], results)

    def _read(self, step: ProgramStep, position: int, box: Box, mark: str, reused: dict[int, tuple[Box, int]]) -> int:
        """The buffer with a box of an operand."""
        index = step.operands[position]
        buffer = self._buffers[index]
        if box == whole(buffer.shape):
            return index
        if index in self._module.constants:
            return self._cut_constant(index, box)
        if position not in reused or reused[position][0] != box:
            name = f"{step.name}/split{mark}"
            reused[position] = box, self._new(step, box.slice(), [index], replace(buffer, shape=box.shape), name)
        return reused[position][1]

    def _cut_constant(self, index: int, box: Box) -> int:
        if (index, box) not in self._cut:
            if index not in self._whole:
                self._whole[index] = once(self._module.constants[index])
            make = self._whole[index]
            self._buffers.append(replace(self._buffers[index], shape=box.shape))
            self._cut[index, box] = len(self._buffers) - 1
            self._constants[len(self._buffers) - 1] = lambda: box.of(make())
        return self._cut[index, box]

    def _sum(self, step: ProgramStep, partial: Sequence[int], each: Tile, fused: Fused) -> int:
        """The sum of two partial sums; the last one is the result."""
        add = Binary(BinaryFunction.ADD, fused if each.last else UNFUSED)
        return self._add(step, add, partial, each.box, f"{step.name}/sum", exact=not each.last)

    def _add(
        self,
        step: ProgramStep,
        instruction: Instruction,
        operands: Sequence[int],
        box: Box,
        name: str,
        *,
        exact: bool = False,
    ) -> int:
        """A step that fills a box of the result: float32 where it holds partial sums, else of the result's type."""
        element = ElementType.FLOAT32 if exact else self._buffers[step.output].element
        return self._new(step, instruction, operands, Buffer(box.shape, element), name)

    def _new(
        self, step: ProgramStep, instruction: Instruction, operands: Sequence[int], buffer: Buffer, name: str
    ) -> int:
        self._buffers.append(buffer)
        output = len(self._buffers) - 1
        self.steps.append(ProgramStep(instruction, tuple(operands), output, self._names.unique(name), step.layers))
        return output

    def _concatenate(self, step: ProgramStep, counts: Sequence[tuple[int, int]], results: list[int]) -> None:
        """Puts the results together, innermost axis first; the last step fills what ``step`` filled."""
        for axis, count in reversed(counts):
            results = [self._joined(step, axis, group) for group in _groups(results, count)]
        last = self.steps.pop()
        self.steps.append(replace(last, output=step.output))

    def _joined(self, step: ProgramStep, axis: int, parts: Sequence[int]) -> int:
        if len(parts) == 1:
            return parts[0]
        first = self._buffers[parts[0]]
        size = sum(self._buffers[i].shape[axis] for i in parts)
        buffer = replace(first, shape=(*first.shape[:axis], size, *first.shape[axis + 1 :]))
        return self._new(step, Concatenate(axis), parts, buffer, f"{step.name}/concat")

    def finish(self) -> Module:
        """The module with the steps that were collected, without buffers that nobody fills any more."""
        return without_dead(
            replace(
                self._module,
                buffers=tuple(self._buffers),
                steps=tuple(self.steps),
                constants=self._constants,
            )
        )


def once(make: MakeConstant) -> MakeConstant:
    """A function with the result of ``make``, which is called once only."""

    @lru_cache(maxsize=1)
    def made() -> Array:
        return make()

    return made


def _groups(results: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(results), size):
        yield results[start : start + size]
