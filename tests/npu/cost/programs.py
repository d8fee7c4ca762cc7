"""Programs and targets for tests of the cost model: figures small enough to count on fingers."""

from __future__ import annotations

from lite_delegate.npu.cost import Packing
from lite_delegate.npu.device.program_check import check_program
from lite_delegate.npu.device.programs.memory import MemoryKind, MemoryRegion
from lite_delegate.npu.device.programs.program import Buffer, ElementType, Program, ProgramStep
from lite_delegate.npu.ir.target import Target
from lite_delegate.npu.profiles import Compute, Memory, OperatorLimits, Profile

HALF = ElementType.FLOAT16
DRAM, PAD = MemoryKind.DRAM, MemoryKind.SCRATCHPAD


def profile(compute: Compute | None = None, memory: Memory | None = None) -> Profile:
    """A device of 10 element operations per cycle and tile, whose transfers take 100 cycles and 1 per byte."""
    return Profile(
        name="paper",
        description="for counting by hand",
        operators=None,
        dtypes=frozenset(),
        max_rank=4,
        limits=OperatorLimits(),
        compute=compute or Compute(tiles=4, float16_macs=64, int8_macs=128, vector_lanes=10, clock_mhz=(100, 200)),
        memory=memory or Memory(dma_engines=4, dma_bytes_per_cycle=1, dma_setup_cycles=100),
    )


def target(
    tiles: int = 1,
    dma_engines: int = 1,
    frequency: int = 1,
    compute: Compute | None = None,
    memory: Memory | None = None,
) -> Target:
    return Target(profile(compute, memory), tiles=tiles, dma_engines=dma_engines, frequency=frequency)


def half(*shape: int) -> Buffer:
    return Buffer(shape, HALF)


def program(
    buffers: list[Buffer],
    steps: list[ProgramStep],
    inputs: tuple[int, ...],
    outputs: tuple[int, ...],
    regions: list[MemoryRegion],
    constants: tuple[int, ...] = (),
) -> Program:
    made = Program(tuple(buffers), constants, inputs, outputs, tuple(steps), tuple(regions))
    check_program(made)
    return made


def plain(made: Program) -> Packing:
    """Nothing is permuted at the boundary."""
    axes = [tuple(range(len(made.buffers[i].shape))) for i in (*made.inputs, *made.outputs)]
    return Packing(tuple(axes[: len(made.inputs)]), tuple(axes[len(made.inputs) :]))
