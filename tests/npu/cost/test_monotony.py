"""More of anything is never slower: tiles, engines, bandwidth, multipliers, lanes, clock. On random placed programs."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.npu.cost import cost_of
from lite_delegate.npu.device.instructions.binary import Binary, BinaryFunction
from lite_delegate.npu.device.instructions.dma import Dma
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.matmul import MatMul
from lite_delegate.npu.device.instructions.movement import Permute
from lite_delegate.npu.device.program_check import check_program
from lite_delegate.npu.device.programs.instruction import Instruction
from lite_delegate.npu.device.programs.memory import MemoryRegion
from lite_delegate.npu.device.programs.program import Program, ProgramStep
from lite_delegate.npu.ir.target import Target
from lite_delegate.npu.profiles import Compute, Memory
from tests.npu.cost.programs import DRAM, PAD, half, plain, profile

SIDE = 24
BYTES = 2 * SIDE * SIDE + 64 - 2 * SIDE * SIDE % 64

KINDS: tuple[tuple[Instruction, int], ...] = (
    (Lookup(Function.TANH), 1),
    (Binary(BinaryFunction.ADD), 2),
    (MatMul(), 2),
    (Dma(), 1),
    (Permute((1, 0)), 1),
)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Steps that read any earlier results; memory of results that nobody reads any more is used again."""
    count = draw(st.integers(1, 14))
    chosen = [draw(st.sampled_from(KINDS)) for _ in range(count)]
    reads = [[draw(st.integers(0, number)) for _ in range(arity)] for number, (_, arity) in enumerate(chosen)]
    last = {index: number for number, operands in enumerate(reads) for index in operands}
    slots: dict[int, int] = {}
    steps, regions = [], [MemoryRegion(DRAM, 0)]
    for number, ((instruction, _), operands) in enumerate(zip(chosen, reads, strict=True)):
        free = [slot for slot, owner in slots.items() if last.get(owner, owner - 1) < number]
        slot = free[0] if free else len(slots)
        slots[slot] = number + 1
        regions.append(MemoryRegion(PAD, slot * BYTES))
        tiles = 0 if isinstance(instruction, (Dma, Permute)) else draw(st.integers(1, 3))
        streamed = tiles > 0 and (0 in operands or draw(st.booleans()))
        steps.append(
            ProgramStep(instruction, tuple(operands), number + 1, f"step {number}", (), number, tiles, streamed)
        )
    steps.append(ProgramStep(Dma(), (count,), count + 1, "out", stage=count, tiles=0))
    regions.append(MemoryRegion(DRAM, BYTES))
    made = Program((half(SIDE, SIDE),) * (count + 2), (), (0,), (count + 1,), tuple(steps), tuple(regions))
    check_program(made)
    return made


@st.composite
def targets(draw: st.DrawFn) -> Target:
    compute = Compute(
        tiles=8,
        float16_macs=draw(st.integers(1, 300)),
        vector_lanes=draw(st.integers(1, 300)),
        clock_mhz=(100, 300),
    )
    memory = Memory(dma_bytes_per_cycle=draw(st.integers(1, 64)), dma_setup_cycles=draw(st.integers(0, 300)))
    return Target(profile(compute, memory), tiles=draw(st.integers(3, 6)), dma_engines=draw(st.integers(1, 4)))


def better(target: Target) -> list[Target]:
    """One thing at a time is better."""
    compute, memory = target.profile.compute, target.profile.memory
    profiles = [
        replace(target.profile, compute=replace(compute, float16_macs=compute.float16_macs + 7)),
        replace(target.profile, compute=replace(compute, vector_lanes=compute.vector_lanes * 2)),
        replace(target.profile, memory=replace(memory, dma_bytes_per_cycle=memory.dma_bytes_per_cycle + 3)),
        replace(target.profile, memory=replace(memory, dma_setup_cycles=memory.dma_setup_cycles // 2)),
    ]
    return [
        replace(target, tiles=target.tiles + 1),
        replace(target, dma_engines=target.dma_engines + 1),
        replace(target, frequency=2),
        *(replace(target, profile=each) for each in profiles),
    ]


def microseconds(program: Program, target: Target) -> float:
    return cost_of(program, plain(program), target).estimated_us


@settings(deadline=None, max_examples=200)
@given(programs(), targets())
def test_a_better_device_is_never_slower(program, target):
    before = microseconds(program, target)
    for number, each in enumerate(better(target)):
        assert microseconds(program, each) <= before, number


@settings(deadline=None, max_examples=100)
@given(programs(), targets())
def test_steps_of_one_engine_never_overlap_and_nothing_starts_before_its_operands(program, target):
    events = {event.name: event for event in cost_of(program, plain(program), target).events}
    makers = {step.output: events[step.name] for step in program.steps} | {0: events["input 0"]}
    for step in program.steps:
        event = events[step.name]
        assert all(makers[index].end <= event.start for index in step.operands)
        assert event.dma_wait >= 0
        assert event.end > event.start
    _check_use(events.values(), program, target)


def _check_use(events, program: Program, target: Target) -> None:
    """At no time are more tiles or engines in use than there are."""
    tiles = {step.name: step.tiles for step in program.steps}
    for moment in {event.start for event in events}:
        running = [event for event in events if event.start <= moment < event.end]
        assert sum(tiles.get(event.name, 0) for event in running) <= target.tiles
        assert sum(event.nbytes > 0 for event in running) <= target.dma_engines


@settings(deadline=None, max_examples=100)
@given(programs(), targets())
def test_memory_is_never_filled_while_it_is_read(program, target):
    events = {event.name: event for event in cost_of(program, plain(program), target).events}
    for later, step in enumerate(program.steps):
        place = program.regions[step.output]
        for other in program.steps[:later]:
            used = [program.regions[index] for index in (*other.operands, other.output)]
            if place in used and step.output not in other.operands:
                assert events[other.name].end <= events[step.name].start
