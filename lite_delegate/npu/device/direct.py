"""Programs without transfers, as the simulator runs them: a buffer is an array, wherever it lies."""

from __future__ import annotations

from dataclasses import replace

from .instructions.dma import Dma
from .programs.program import Program


def without_transfers(program: Program) -> Program:
    """The program in which steps read the source of a transfer instead of its result; buffers keep their numbers."""
    source = list(range(len(program.buffers)))
    steps = []
    for step in program.steps:
        operands = tuple(map(source.__getitem__, step.operands))
        if isinstance(step.instruction, Dma):
            source[step.output] = operands[0]
        else:
            steps.append(replace(step, operands=operands))
    return replace(program, steps=tuple(steps), outputs=tuple(source[i] for i in program.outputs), regions=())
