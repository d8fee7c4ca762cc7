"""Timeline: the time of each step of a program, on compute tiles and DMA engines that work in parallel. An estimate.

Each engine takes its steps in program order. A step starts as soon as its engines are free, its operands are there and
no other step uses the memory that it fills. A computation takes its number of compute tiles, the tiles that are free
first; a transfer takes the DMA engine that is free first. A streamed computation takes both. Views and joins take no
time and no engine. Before buffers have places every computation is streamed.

The program starts with the transfers of its inputs from the host, in the order in which they are first read, and ends
with the transfers of its outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from operator import attrgetter

from ...basics.data_class import dataclass
from ...ir.axes import Axes, identity, inverse, permute_shape
from ..device.instructions.movement import Permute
from ..device.programs.instruction import Work
from ..device.programs.program import Program, ProgramStep
from ..ir.target import Target
from .cycles import step_cycles, streamed_cycles, transfer_cycles, work_of
from .engines import Engines
from .occupancy import Occupancy
from .stretches import part_stretches, permuted_stretches, stretches


class Activity(StrEnum):
    """The purpose of a step."""

    COMPUTE = "compute"
    TRANSFER = "transfer"
    PACKING = "packing"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Event:
    """One step, or one transfer from or to the host, in estimated cycles from the start of the program.

    Attributes:
        name: the step's name, or ``input N`` and ``output N``.
        opcode: the instruction's name; ``CopyIn`` and ``CopyOut`` between host and device.
        layers: names of the model's kernels that it stands for.
        activity: the kind of work; a step that only changes the order of axes, inside or at the boundary, is packing.
        start: cycle in which it starts.
        end: cycle after its last.
        dma_wait: cycles for which its compute tiles were free and its computed operands were there, but it waited for
            transfers: before its start, and for a streamed computation during its run.
        nbytes: the bytes that DMA engines move for it.
    """

    name: str
    opcode: str
    layers: tuple[str, ...]
    activity: Activity
    start: int
    end: int
    dma_wait: int
    nbytes: int

    @property
    def cycles(self) -> int:
        """Its estimated duration."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Packing:
    """The orders of axes in which a program's inputs and outputs cross: device axis i is host axis ``axes[i]``."""

    inputs: tuple[Axes, ...]
    outputs: tuple[Axes, ...]


def timeline(program: Program, packing: Packing, target: Target) -> tuple[Event, ...]:
    """The events of one run, in program order, on ``target``."""
    simulation = _Simulation(program, target)
    readers = {index: number for number, step in reversed([*enumerate(program.steps)]) for index in step.operands}
    order = sorted(range(len(program.inputs)), key=lambda i: readers.get(program.inputs[i], len(program.steps)))
    for number in order:
        simulation.copy_in(number, packing.inputs[number])
    for step in program.steps:
        simulation.run(step)
    for number in range(len(program.outputs)):
        simulation.copy_out(number, packing.outputs[number])
    return tuple(simulation.events)


@dataclass(frozen=True, slots=True)
class There:
    """The cycles from which operands are there: operands that computations fill, and operands that transfers fill."""

    computed: int = 0
    moved: int = 0

    @property
    def latest(self) -> int:
        """From when all are."""
        return max(self.computed, self.moved)


_COMPUTED, _MOVED = attrgetter("computed"), attrgetter("moved")


class _Simulation:
    """Walks the steps of a program in order and keeps the cycle from which each thing is free or there."""

    def __init__(self, program: Program, target: Target) -> None:
        self._program = program
        self._target = target
        self._tiles = Engines(target.tiles)
        self._dma = Engines(target.dma_engines)
        self._memory = Occupancy(program)
        self._there: dict[int, There] = {}
        self.events: list[Event] = []

    def copy_in(self, number: int, axes: Axes) -> None:
        """Brings an input from the host."""
        index = self._program.inputs[number]
        self._there[index] = There(moved=self._cross(f"input {number}", "CopyIn", index, axes))

    def copy_out(self, number: int, axes: Axes) -> None:
        """Takes an output to the host."""
        self._cross(f"output {number}", "CopyOut", self._program.outputs[number], axes)

    def _cross(self, name: str, opcode: str, index: int, axes: Axes) -> int:
        buffer = self._program.buffers[index]
        pieces = permuted_stretches(permute_shape(buffer.shape, inverse(axes)), axes)
        start = max(self._operands([index]).latest, self._dma.free(1))
        end = start + transfer_cycles(buffer.nbytes, pieces, self._target.profile.memory)
        self._dma.take(1, end)
        activity = Activity.TRANSFER if axes == identity(len(axes)) else Activity.PACKING
        self.events.append(Event(name, opcode, (), activity, start, end, 0, buffer.nbytes))
        return end

    def run(self, step: ProgramStep) -> None:
        """Runs one step."""
        work = work_of(self._program, step)
        there, free = self._operands(step.operands), self._memory.free_at(step.output)
        if work.macs or work.vector:
            end = self._compute(step, there, free)
            self._there[step.output] = There(computed=end)
        elif work.moved:
            end = self._move(step, work, max(there.latest, free))
            self._there[step.output] = There(moved=end)
        else:
            end = max(there.latest, free)
            self._note(step, Activity.NOTHING, (end, end), 0, 0)
            self._there[step.output] = there
        self._memory.use(step, end)

    def _operands(self, operands: Sequence[int]) -> There:
        there = [self._there[index] for index in operands if index in self._there]
        return There(max(map(_COMPUTED, there), default=0), max(map(_MOVED, there), default=0))

    def _compute(self, step: ProgramStep, there: There, free: int) -> int:
        tiles = min(max(1, step.tiles), self._target.tiles)
        ready = max(there.computed, free, self._tiles.free(tiles))
        computing = step_cycles(self._program, step, tiles, self._target.profile.compute)
        if not (step.streamed or not self._program.regions):
            start = max(ready, there.moved)
            end = start + computing
            self._note(step, Activity.COMPUTE, (start, end), start - ready, 0)
        else:
            buffers = [self._program.buffers[i] for i in (*step.operands, step.output)]
            start = max(ready, there.moved, self._dma.free(1))
            end = start + streamed_cycles(computing, buffers, self._target.profile.memory)
            self._dma.take(1, end)
            nbytes = sum(buffer.nbytes for buffer in buffers)
            self._note(step, Activity.COMPUTE, (start, end), end - computing - ready, nbytes)
        self._tiles.take(tiles, end)
        return end

    def _move(self, step: ProgramStep, work: Work, ready: int) -> int:
        output = self._program.buffers[step.output]
        nbytes = work.moved * output.element.numpy.itemsize
        start = max(ready, self._dma.free(1))
        end = start + transfer_cycles(nbytes, self._stretches(step), self._target.profile.memory)
        self._dma.take(1, end)
        activity = Activity.PACKING if isinstance(step.instruction, Permute) else Activity.TRANSFER
        self._note(step, activity, (start, end), 0, nbytes)
        return end

    def _stretches(self, step: ProgramStep) -> int:
        buffers, output = self._program.buffers, self._program.buffers[step.output].shape
        pieces = stretches(step.instruction, [buffers[i].shape for i in step.operands], output)
        whole = self._program.regions[step.output].part_of if self._program.regions else -1
        return pieces if whole < 0 else max(pieces, part_stretches(output, buffers[whole].shape))

    def _note(self, step: ProgramStep, activity: Activity, span: tuple[int, int], dma_wait: int, nbytes: int) -> None:
        self.events.append(Event(step.name, step.opcode, step.layers, activity, *span, dma_wait, nbytes))
