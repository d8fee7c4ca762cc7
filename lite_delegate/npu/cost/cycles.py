"""Cycles of single steps, from the numbers they compute and move. Every figure is an estimate.

A compute tile has an array of multipliers and a vector unit that work at the same time. The array makes R / 16 results
at once and adds up 16 products of each per cycle, where R is the profile's multiply-accumulates per cycle; the tiles
of a step share its results evenly. Utilization is lost where the results do not fill the array and where the terms
of a result are no multiple of 16. For a result of n elements, m multiply-accumulates, v element operations and k tiles:

    array  = ceil(16 n / (k R)) * ceil(m / n / 16)
    vector = ceil(s v / (k lanes)), s = 2 where an operand or the result is float32, else 1
    cycles = max(array, vector)

A transfer of s stretches of memory with b bytes in all takes one engine, which moves up to B bytes of one stretch per
cycle:

    cycles = setup + s * ceil(b / s / B)

A step that is streamed computes and moves its operands and its result at the same time, through one engine, one
transfer each: the longer of the two counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..device.programs.instruction import Work
from ..device.programs.program import Buffer, ElementType, Program, ProgramStep
from ..profiles.profile import Compute, Memory

if TYPE_CHECKING:
    from ..ir.module import Module

TERMS = 16
"""Products of one result that a tile's array adds up per cycle."""

FLOAT32_SLOWDOWN = 4
"""As in ``Compute.float16_macs``: of float32 numbers a quarter as many per cycle."""

WIDE_LANES = 2
"""Lanes of the vector unit that a float32 number takes up: it has twice the bits of a float16 number."""


def array_rate(element: ElementType, compute: Compute) -> tuple[int, int]:
    """Multiply-accumulates per cycle and tile, as a fraction, on operands of that type."""
    if element in (ElementType.INT8, ElementType.UINT8):
        return compute.int8_macs, 1
    return compute.float16_macs, 1 if element is ElementType.FLOAT16 else FLOAT32_SLOWDOWN


def compute_cycles(
    work: Work, results: int, element: ElementType, tiles: int, compute: Compute, lanes_each: int = 1
) -> int:
    """Estimated cycles of a computation on ``tiles`` tiles.

    Args:
        work: the work of the computation.
        results: the number of elements of its result.
        element: the element type of its operands.
        tiles: the number of compute tiles, at least 1.
        compute: the compute figures of the profile.
        lanes_each: lanes of the vector unit that each element operation takes.
    """
    rate, slowdown = array_rate(element, compute)
    array = 0
    if work.macs and results:
        rounds = _ceil(TERMS * slowdown * results, tiles * rate)
        array = rounds * _ceil(work.macs, results * TERMS)
    return max(array, _ceil(lanes_each * work.vector, tiles * compute.vector_lanes))


def transfer_cycles(nbytes: int, stretches: int, memory: Memory) -> int:
    """Estimated cycles of one transfer on one engine; 0 of nothing."""
    if not nbytes:
        return 0
    return memory.dma_setup_cycles + stretches * _ceil(nbytes, stretches * memory.dma_bytes_per_cycle)


def streamed_cycles(computing: int, buffers: Sequence[Buffer], memory: Memory) -> int:
    """Estimated cycles of a computation that reads and writes DRAM: ``buffers`` are its operands and its result."""
    return max(computing, sum(transfer_cycles(buffer.nbytes, 1, memory) for buffer in buffers))


def work_of(program: Program | Module, step: ProgramStep) -> Work:
    """The work of a step of a program for the device's units."""
    shapes = [program.buffers[i].shape for i in step.operands]
    return step.instruction.work(shapes, program.buffers[step.output].shape)


def step_cycles(program: Program | Module, step: ProgramStep, tiles: int, compute: Compute) -> int:
    """Estimated cycles of a computation of a program on ``tiles`` tiles, whose operands are there."""
    elements = [program.buffers[i].element for i in (*step.operands, step.output)]
    results = math.prod(program.buffers[step.output].shape)
    lanes_each = WIDE_LANES if ElementType.FLOAT32 in elements else 1
    return compute_cycles(work_of(program, step), results, elements[0], tiles, compute, lanes_each)


def _ceil(numerator: int, denominator: int) -> int:
    return -(-numerator // denominator)
