"""Rules that a program keeps before the device takes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import islice

from ...errors import DelegateBuildError
from .placement import check_placement
from .programs.instruction import Shape
from .programs.program import Program, ProgramStep
from .programs.shapes import unfit


def check_program(program: Program) -> None:
    """Every buffer is filled once, and before it is read; where buffers have places, these are sound.

    Raises:
        DelegateBuildError: something is wrong; the message names the step.
    """
    filled = set(program.constants) | set(program.inputs)
    if len(filled) != len(program.constants) + len(program.inputs):
        twice = sorted(i for i, n in Counter((*program.constants, *program.inputs)).items() if n > 1)
        raise DelegateBuildError(f"Constants and inputs must be distinct buffers; listed twice: {twice[:8]}.")
    for number, step in enumerate(program.steps):
        if step.output in filled or not filled.issuperset(step.operands):
            missing = [i for i in step.operands if i not in filled]
            raise DelegateBuildError(
                f"Step {number} ({step.opcode}) reads buffers {list(step.operands)[:8]} and fills {step.output}; "
                f"not filled before it: {missing[:8]}; filled already: {step.output in filled}."
            )
        filled.add(step.output)
    unknown = sorted(filled.union(program.outputs) - set(range(len(program.buffers))))
    if unknown or not filled.issuperset(program.outputs):
        unfilled = sorted(set(program.outputs) - filled)
        raise DelegateBuildError(
            f"Outputs must be filled buffers; not filled: {unfilled[:8]}; no such buffers: {unknown[:8]}."
        )
    shapes = [buffer.shape for buffer in program.buffers]
    for step in program.steps:
        _check_shape(step, shapes)
    if program.regions:
        check_placement(program)


def _check_shape(step: ProgramStep, shapes: Sequence[Shape]) -> None:
    """The operands fit the instruction, and its result the buffer that it fills."""
    operands, wanted = list(map(shapes.__getitem__, step.operands)), shapes[step.output]
    try:
        if len(operands) not in step.instruction.arity:
            raise unfit(f"{_few(step.instruction.arity)} operands", len(operands))
        found = step.instruction.result_shape(operands)
        if found != wanted:
            raise unfit(f"a buffer of {found} for the result", wanted)
    except ValueError as e:
        raise DelegateBuildError(f"Step '{step.name}' ({step.opcode}): {e}.") from e


def _few(numbers: Collection[int]) -> str:
    """The first numbers, for messages."""
    shown = " or ".join(map(str, islice(numbers, 3)))
    return f"{shown} or more" if len(numbers) > 3 else shown
