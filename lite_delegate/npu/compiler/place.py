"""Placing: a place for every buffer, and the transfers between memories for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..device.instructions.dma import Dma, Join
from ..device.instructions.movement import Concatenate, MovementInstruction
from ..device.programs.memory import MemoryKind, MemoryRegion
from ..device.programs.program import ProgramStep
from .assembly import Assembly
from .compiled import Compiled
from .flow import MemoryFlow
from .residency import Residence, Residency
from .schedule import ScheduleStage


def place(flow: MemoryFlow, stages: Sequence[ScheduleStage]) -> Compiled:
    """The program for ``stages``, every buffer with a region, and the module that it was made from.

    1. Constants, inputs and outputs lie in DRAM. The operands of a computation are brought into the scratchpad before:
       a stage ahead, next to the computations of that stage, where room allows (double buffering).
    2. Results stay in the scratchpad until their last reader has run. Where room is short, the result that is needed
       again last leaves first; it is written to DRAM unless it is there already, and brought back when it is needed.
    3. A computation that exceeds the scratchpad by itself is streamed: it reads and fills DRAM.
    4. The DMA engines reach both memories: their own steps (slices, permutes) read the operands where they lie.
    5. A concatenation that exceeds the scratchpad is put together in DRAM: each operand goes to its place in the
       result as soon as it is computed.

    Raises:
        DelegateBuildError: the program breaks a rule of ``Program.check``; this function has an error.
    """
    placer = _Placer(flow, stages)
    for number in range(len(stages)):
        placer.run(number)
    return placer.finish()


class _Placer:
    """Walks the stages. A buffer of the flow's module is called a root here, see ``MemoryFlow``."""

    def __init__(self, flow: MemoryFlow, stages: Sequence[ScheduleStage]) -> None:
        self._flow = flow
        self._stages = stages
        self._out = Assembly()
        self._memory = Residency(flow, self._out)
        self._values = self._memory.values
        self._parts: dict[tuple[int, int], int] = {}
        self._begin()

    def _begin(self) -> None:
        module = self._flow.module
        for index, make in module.constants.items():
            home = self._out.constant(module.buffers[index], self._memory.in_dram(index), make)
            self._values[index] = Residence(home=home, stays=True)
        for port in module.inputs:
            home = self._out.buffer(module.buffers[port.buffer], self._memory.in_dram(port.buffer))
            self._values[port.buffer] = Residence(home=home, stays=True)
            self._out.inputs.append(replace(port, buffer=home))
        steps = [step for stage in self._stages for step in stage]
        for step in steps:
            self._values[step.output] = Residence(maker=step, stays=step.output in self._flow.outside)
        for step in (each for each in steps if each.output not in self._flow.gathered):
            for root in self._flow.operands(step):
                self._values[root].uses.append(step.stage)

    def run(self, number: int) -> None:
        """Places and adds one stage, with its own transfers and the transfers that prepare the next stage."""
        stage = self._stages[number]
        computing = [step for step in stage if step.tiles and not step.streamed]
        wanted = self._flow.touched(computing)
        places = self._memory.room(number, wanted)
        for step in stage:
            if isinstance(step.instruction, MovementInstruction):
                self._place_moved(step, wanted, places)
        for step in computing:
            for root in (each for each in self._flow.operands(step) if each in places):
                self._memory.load(root, places.pop(root), step)
        self._prefetch(number)
        for step in stage:
            self._emit(step, places.get(step.output))
            self._deliver(step)
        self._memory.release(number, self._flow.touched(stage))

    def _place_moved(self, step: ProgramStep, wanted: Sequence[int], places: dict[int, int]) -> None:
        """Takes a place for the result of a DMA step; no place, so that it goes to DRAM, where no computation reads it.

        Other buffers leave for it only if a computation reads it.
        """
        readers = [r for r in self._readers(step) if r.output not in self._flow.gathered]
        if not readers or step.output in self._flow.gathered:
            return
        if any(not isinstance(r.instruction, MovementInstruction) and not self._flow.streams(r) for r in readers):
            offset = self._memory.room_for_result(step.output, step.stage, wanted)
        else:
            offset = self._memory.free_room(step.output)
        if offset is not None:
            places[step.output] = offset

    def _readers(self, step: ProgramStep) -> list[ProgramStep]:
        return self._flow.readers.get(step.output, [])

    def _prefetch(self, number: int) -> None:
        """Brings the operands of the next stage's computations from DRAM, as long as there is room."""
        following = self._stages[number + 1] if number + 1 < len(self._stages) else ()
        reading = [each for each in following if each.tiles and not each.streamed]
        for step, root in ((each, root) for each in reading for root in self._flow.operands(each)):
            offset = self._memory.free_room(root) if self._waits_in_dram(root, number) else None
            if offset is not None:
                self._memory.load(root, offset, replace(step, stage=number))

    def _waits_in_dram(self, root: int, stage: int) -> bool:
        """True when a value lies in DRAM alone, since before ``stage``."""
        value = self._values[root]
        filled = value.maker is None or value.maker.stage < stage
        return filled and value.home is not None and value.here is None

    def _emit(self, step: ProgramStep, offset: int | None) -> None:
        """Adds a step with its operands where they are, and its result at ``offset`` or, when None, in DRAM."""
        if step.output in self._flow.gathered:
            self._join(step)
            return
        operands = tuple([self._where(i, step.stage) for i in step.operands])
        output = self._memory.home(step.output) if offset is None else self._memory.fill_here(step.output, offset)
        self._out.add(replace(step, operands=operands, output=output))

    def _where(self, index: int, stage: int) -> int:
        """The buffer in which a reader in ``stage`` finds a buffer of the module: in the scratchpad if it is there."""
        value = self._values[self._flow.root[index]]
        return self._shown(value.home if value.here is None else value.here, index, stage)

    def _shown(self, found: int | None, index: int, stage: int) -> int:
        """The buffer ``found``, which holds the root of ``index``, as ``index`` shows it."""
        assert found is not None
        view = self._flow.views.get(index)
        return found if view is None else self._out.viewed(found, view, stage)

    def _deliver(self, step: ProgramStep) -> None:
        """Sends a result where it is wanted in DRAM: to the host, and into concatenations that are gathered there."""
        if step.output in self._flow.outside:
            self._memory.save(step.output, step.stage)
        for reader in (each for each in self._readers(step) if each.output in self._flow.gathered):
            roots = [self._flow.root[index] for index in reader.operands]
            for position in (place for place, root in enumerate(roots) if root == step.output):
                self._bring_part(reader, position, step)

    def _bring_part(self, whole: ProgramStep, position: int, like: ProgramStep) -> None:
        """Copies operand ``position`` of a gathered concatenation to its place, in the stage of ``like``."""
        assert isinstance(whole.instruction, Concatenate)
        module, axis = self._flow.module, whole.instruction.axis
        home = self._memory.home(whole.output)
        buffer = module.buffers[whole.operands[position]]
        before = sum(module.buffers[i].shape[axis] for i in whole.operands[:position])
        pitch = buffer.element.numpy.itemsize
        for dim in buffer.shape[axis + 1 :]:
            pitch *= dim
        region = MemoryRegion(MemoryKind.DRAM, self._out.region(home).offset + before * pitch, home)
        part = self._parts[whole.output, position] = self._out.buffer(buffer, region)
        source = self._where(whole.operands[position], like.stage)
        self._out.add(ProgramStep(Dma(), (source,), part, f"{like.name}/join", like.layers, like.stage, tiles=0))

    def _join(self, step: ProgramStep) -> None:
        assert isinstance(step.instruction, Concatenate)
        for position in range(len(step.operands)):
            if (step.output, position) not in self._parts:
                self._bring_part(step, position, step)
        parts = tuple(self._parts[step.output, position] for position in range(len(step.operands)))
        join = replace(step, instruction=Join(step.instruction.axis), operands=parts)
        self._out.add(replace(join, output=self._memory.home(step.output), tiles=0))

    def finish(self) -> Compiled:
        """The outputs where the host finds them, and everything checked."""
        for port in self._flow.module.outputs:
            home = self._values[self._flow.root[port.buffer]].home
            buffer = self._shown(home, port.buffer, max(0, len(self._stages) - 1))
            self._out.outputs.append(replace(port, buffer=buffer))
        program = self._out.program()
        return Compiled(program, self._out.module())
