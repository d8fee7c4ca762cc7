"""Rules for the places of a program's buffers, and the use of memory over time."""

from __future__ import annotations

from heapq import heappop, heappush
from operator import attrgetter

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...errors import DelegateBuildError
from .instructions.dma import Dma, Join
from .instructions.movement import MovementInstruction, View
from .programs.intervals import Intervals
from .programs.memory import ALIGNMENT, MemoryKind, aligned
from .programs.program import Program, ProgramStep

BEFORE, AFTER = -1, 2**62
"""Stages before the first and after the last: when the host fills inputs, and reads outputs."""

BUFFER_BYTES = 32
"""Of a program in device memory, for each buffer: address, dimensions and element type. An assumption."""
STEP_BYTES = 128
"""Of a program in device memory, for each step: opcode, parameters and buffers. An assumption."""


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """A stretch of memory and the stages in which it is in use.

    Attributes:
        buffer: the buffer that has the memory; its views and parts lie in the same memory.
        start: first byte.
        stop: one beyond the last byte.
        first: stage that begins to fill it.
        last: last stage that reads it, ``AFTER`` when the host does.
    """

    buffer: int
    memory: MemoryKind
    start: int
    stop: int
    first: int
    last: int


def owners(program: Program) -> list[int]:
    """For each buffer the buffer whose memory it lies in: the operand of a view, the whole of a part, else itself."""
    found = list(range(len(program.buffers)))
    for buffer, region in enumerate(program.regions):
        if region.part_of >= 0:
            found[buffer] = region.part_of
    for step in program.steps:
        if isinstance(step.instruction, View):
            found[step.output] = found[step.operands[0]]
    return found


def spans(program: Program) -> list[MemoryUse]:
    """The memory and the stages of each buffer that is its own owner and is filled."""
    owner = owners(program)
    first = {owner[i]: BEFORE for i in (*program.constants, *program.inputs)}
    last = dict.fromkeys(first, BEFORE) | {owner[i]: AFTER for i in program.constants}
    for step in program.steps:
        first.setdefault(owner[step.output], step.stage)
        for i in (step.output, *step.operands):
            last[owner[i]] = max(last.get(owner[i], BEFORE), step.stage)
    last |= {owner[i]: AFTER for i in program.outputs}
    result = []
    for i in first:
        region, nbytes = program.regions[i], program.buffers[i].footprint
        result.append(MemoryUse(i, region.memory, region.offset, region.offset + nbytes, first[i], last[i]))
    return result


def memory_used(program: Program, memory: MemoryKind) -> int:
    """Bytes of a memory that the program needs. Before buffers have places, each has a place of its own in DRAM."""
    if program.regions:
        return max([span.stop for span in spans(program) if span.memory is memory], default=0)
    return sum([b.footprint for b in program.buffers]) if memory is MemoryKind.DRAM else 0


def dram_bytes(program: Program) -> int:
    """Bytes of DRAM that the program takes while it is loaded: constants, inputs and outputs, buffers that steps keep
    in DRAM, and the program itself, ``BUFFER_BYTES`` for each buffer and ``STEP_BYTES`` for each step."""
    code = BUFFER_BYTES * len(program.buffers) + STEP_BYTES * len(program.steps)
    return memory_used(program, MemoryKind.DRAM) + aligned(code)


def check_placement(program: Program) -> None:
    """Checks that each buffer has its place.

    Views lie in their operand, parts in the result of their ``Join``, the host's inputs and outputs in DRAM. No two
    buffers that are in use at one time overlap; computations touch the scratchpad only, unless streamed.

    Raises:
        DelegateBuildError: names the step or the buffers.
    """
    if len(program.regions) != len(program.buffers):
        raise DelegateBuildError(f"{len(program.buffers)} buffers have {len(program.regions)} regions.")
    _check_offsets(program)
    for i in (*program.constants, *program.inputs, *program.outputs):
        if program.regions[i].memory is not MemoryKind.DRAM:
            raise DelegateBuildError(f"Buffer {i}, which the host fills or reads, must lie in DRAM.")
    stage = 0
    for step in program.steps:
        if step.stage < stage:
            raise DelegateBuildError(f"Step '{step.name}' of stage {step.stage} comes after one of stage {stage}.")
        stage = step.stage
        _check_step(program, step)
    _check_overlaps(spans(program))


def _check_offsets(program: Program) -> None:
    joined = {(i, s.output) for s in program.steps if isinstance(s.instruction, Join) for i in s.operands}
    for i, region in enumerate(program.regions):
        if region.part_of >= 0 and (i, region.part_of) not in joined:
            raise DelegateBuildError(f"Buffer {i} is a part of buffer {region.part_of}, but no step joins it to that.")
        if region.part_of < 0 and (region.offset < 0 or region.offset % ALIGNMENT):
            raise DelegateBuildError(
                f"Buffer {i} must begin at a multiple of {counted(ALIGNMENT, 'byte')}, begins at byte {region.offset}."
            )


def _check_step(program: Program, step: ProgramStep) -> None:
    regions = [program.regions[i] for i in (*step.operands, step.output)]
    wrong = ""
    match step.instruction:
        case View():
            wrong = "" if regions[0] == regions[-1] else "a view must lie at the place of its operand"
        case Join():
            apart = any(r.part_of != step.output for r in regions[:-1])
            wrong = "operands are not parts of the result" if apart else _outside(program, step)
        case MovementInstruction():
            wrong = ""
        case _:
            distant = [r for r in regions if r.memory is not MemoryKind.SCRATCHPAD]
            wrong = "computes outside of the scratchpad and is not streamed" if distant and not step.streamed else ""
    part = regions[-1].part_of
    if part >= 0 and not isinstance(step.instruction, (Dma, View)):
        wrong = f"fills a part of buffer {part}, which only transfers can"
    if wrong:
        raise DelegateBuildError(f"Step '{step.name}' ({step.opcode}) of stage {step.stage}: {wrong}.")


def _outside(program: Program, step: ProgramStep) -> str:
    """Where operands of a ``Join`` do not begin where they have to within the result, or do not fill it."""
    whole, start = program.buffers[step.output], 0
    assert isinstance(step.instruction, Join)
    axis = step.instruction.axis
    shapes = [program.buffers[i].shape for i in step.operands]
    fitting = 0 <= axis < len(whole.shape) and all(
        (*shape[:axis], *shape[axis + 1 :]) == (*whole.shape[:axis], *whole.shape[axis + 1 :]) for shape in shapes
    )
    if not fitting or sum(shape[axis] for shape in shapes) != whole.shape[axis]:
        return f"{shapes} along axis {axis} are not {whole.shape}"
    pitch = whole.element.numpy.itemsize
    for dim in whole.shape[axis + 1 :]:
        pitch *= dim
    for i in step.operands:
        expected = program.regions[step.output].offset + start * pitch
        if program.regions[i].offset != expected or program.regions[i].memory != program.regions[step.output].memory:
            return f"operand {i} must begin at byte {expected}, is at {program.regions[i].offset}"
        start += program.buffers[i].shape[axis]
    return ""


def _check_overlaps(found: list[MemoryUse]) -> None:
    """Walks the spans in the order of their beginning, and keeps the spans in use at that time in order of address."""
    present = {memory: Intervals() for memory in MemoryKind}
    by_buffer = {span.buffer: span for span in found}
    ends: list[tuple[int, int]] = []
    for span in sorted(found, key=attrgetter("first", "buffer")):
        while ends and ends[0][0] < span.first:
            gone = by_buffer[heappop(ends)[1]]
            present[gone.memory].remove(gone.start, gone.stop)
        for i in present[span.memory].meeting(span.start, span.stop)[:1]:
            other = by_buffer[i]
            raise DelegateBuildError(
                f"Buffers {other.buffer} and {span.buffer} lie in {span.memory} at bytes {other.start} to "
                f"{other.stop} and {span.start} to {span.stop}, and are in use at once in stage {span.first}."
            )
        present[span.memory].add(span.start, span.stop, span.buffer)
        heappush(ends, (span.last, span.buffer))
