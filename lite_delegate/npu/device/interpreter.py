"""The interpreter runs the instructions of a program one by one on the simulated device memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...basics.counted import counted
from ...delegate import cancel_point
from ...errors import DelegateExecuteError
from .loaded_program import LoadedProgram
from .programs.half import from_half, round_to_half, to_half
from .programs.instruction import Array, Instruction, widen
from .programs.program import Buffer, ElementType, ProgramStep
from .transfer import CHUNK, converted


def computed(loaded: LoadedProgram, inputs: Mapping[int, Array]) -> list[Array]:
    """Runs the instructions of a program; the outputs as the simulator keeps them.

    Raises:
        RequestCancelled: the run was cancelled.
        DelegateExecuteError: an instruction gave something of another size.
    """
    memory = {**loaded.constants, **inputs}
    with np.errstate(all="ignore"):  # IEEE 754 results, as hardware gives them, are no reason to warn
        for step, free in zip(loaded.direct.steps, loaded.frees, strict=True):
            cancel_point()
            memory[step.output] = _execute(step, memory, loaded.program.buffers)
            for index in free:
                del memory[index]
    return [memory[i] for i in loaded.direct.outputs]


def kept(array: Array, chunk: int = CHUNK) -> Array:
    """An array as the simulator keeps it: float16 numbers in a float32 array, see ``half``."""
    return converted(array, np.dtype(np.float32), widen, chunk) if array.dtype == np.float16 else array


def _given(array: Array, element: ElementType) -> Array:
    """A kept array as device memory has it."""
    return to_half(array) if element is ElementType.FLOAT16 else array


def read(array: Array, element: ElementType, chunk: int) -> Array:
    """The array in the host's format, converted in chunks."""
    return converted(array, element.numpy, to_half, chunk) if element is ElementType.FLOAT16 else array


def _execute(step: ProgramStep, memory: Mapping[int, Array], buffers: Sequence[Buffer]) -> Array:
    buffer, instruction = buffers[step.output], step.instruction
    operands = [memory[i] for i in step.operands]
    if instruction.reads_format:
        operands = [_given(array, buffers[i].element) for array, i in zip(operands, step.operands, strict=True)]
    result = _stored(instruction, operands, buffer.element)
    expected = np.dtype(np.float32) if buffer.element is ElementType.FLOAT16 else buffer.element.numpy
    if result.shape != buffer.shape or result.dtype != expected:
        raise DelegateExecuteError(
            f"{step.opcode} into buffer {step.output}: {mismatch(_given(result, buffer.element), buffer)}."
        )
    return result


def _stored(instruction: Instruction, operands: Sequence[Array], element: ElementType) -> Array:
    """The result as the simulator keeps it, after the one rounding per instruction."""
    result = np.asarray(instruction.run(operands), order="C")
    if element is ElementType.FLOAT32:
        return widen(result)
    if element is not ElementType.FLOAT16:
        return result
    if result.dtype != np.float32:
        return from_half(result.astype(np.float16, copy=False))
    if instruction.rounds:
        if any(np.may_share_memory(result, operand) for operand in operands):
            result = result.copy()
        round_to_half(result)
    return result


def mismatch(array: Array, buffer: Buffer) -> str:
    """The expectation of a device buffer that an array does not meet, "" where it meets all."""
    if array.shape == buffer.shape and array.dtype == buffer.element.numpy:
        return ""
    return (
        f"expected {buffer.element} {buffer.shape} ({counted(buffer.nbytes, 'byte')}), got {array.dtype} {array.shape}"
    )
