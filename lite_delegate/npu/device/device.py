"""The device: takes programs, runs them, checks every buffer that crosses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import DelegateBuildError, DelegateExecuteError, DelegateUnavailable
from .instruction import Array, narrow, widen
from .program import Buffer, ElementType, Program, Step


@dataclass(frozen=True, slots=True)
class LoadedProgram:
    """A program in device memory. Immutable: any number of runs may use it at once.

    Attributes:
        program: what was loaded.
        constants: contents of the constant buffers; float16 numbers, widened to float32 once, for the multipliers.
        frees: for each step, the buffers whose memory is given back after it.
    """

    program: Program
    constants: Mapping[int, Array]
    frees: tuple[tuple[int, ...], ...]


class Device:
    """A simulated accelerator.

    A program keeps floating tensors and constants as float16 or float32; sums accumulate in float32 and are rounded
    to the type of the buffer once, when an instruction stores its result. Values beyond 65504 become infinite in
    float16, as IEEE 754 says. Quantised integers are multiplied and added up exactly, and saturate at 32 bits.
    ``run`` keeps nothing between calls and may be called from several threads.

    Args:
        present: False for a device that is not there: ``open`` fails.
    """

    def __init__(self, *, present: bool = True) -> None:
        self.present = present
        self._open = False

    def open(self) -> None:
        """Takes the device into use. Opening it twice is allowed.

        Raises:
            DelegateUnavailable: the device is not there.
        """
        if not self.present:
            raise DelegateUnavailable("The simulated NPU is not there (Device(present=False)).")
        self._open = True

    def close(self) -> None:
        """Ends the use; programs that are loaded cannot run any more."""
        self._open = False

    @property
    def is_open(self) -> bool:
        """True between ``open`` and ``close``."""
        return self._open

    def load(self, program: Program, constants: Mapping[int, Array]) -> LoadedProgram:
        """Puts a program and its constants, in storage format, into device memory.

        Raises:
            DelegateBuildError: the program reads what nobody fills, or a constant is missing or of another size.
            DelegateExecuteError: the device is not open.
        """
        self._require_open("load a program")
        program.check()
        loaded = {}
        for index in program.constants:
            if index not in constants:
                raise DelegateBuildError(f"Constant buffer {index} has no contents.")
            mismatch = _mismatch(constants[index], program.buffers[index])
            if mismatch:
                raise DelegateBuildError(f"Constant buffer {index}: {mismatch}.")
            floating = program.buffers[index].element is ElementType.FLOAT16
            loaded[index] = widen(constants[index]) if floating else constants[index]
        return LoadedProgram(program, loaded, program.last_uses())

    def run(self, loaded: LoadedProgram, inputs: Sequence[Array]) -> list[Array]:
        """Runs a program on host buffers that have the shapes and element types of its inputs.

        Raises:
            DelegateExecuteError: the device is not open, or an input has another size or element type.
        """
        self._require_open("run a program")
        program = loaded.program
        if len(inputs) != len(program.inputs):
            raise DelegateExecuteError(f"Expected {len(program.inputs)} input buffers, got {len(inputs)}.")
        for position, (index, array) in enumerate(zip(program.inputs, inputs, strict=True)):
            mismatch = _mismatch(array, program.buffers[index])
            if mismatch:
                raise DelegateExecuteError(f"Input buffer {position}: {mismatch}.")
        memory = {**loaded.constants, **dict(zip(program.inputs, inputs, strict=True))}
        with np.errstate(all="ignore"):  # IEEE 754 results, as hardware gives them, are no reason to warn
            for step, free in zip(program.steps, loaded.frees, strict=True):
                memory[step.output] = _execute(step, [memory[i] for i in step.operands], program.buffers[step.output])
                for index in free:
                    del memory[index]
        return [_stored(memory[i], program.buffers[i].element) for i in program.outputs]

    def _require_open(self, what: str) -> None:
        if not self._open:
            raise DelegateExecuteError(f"The device must be open to {what}; it is closed.")


def _execute(step: Step, operands: list[Array], buffer: Buffer) -> Array:
    result = _stored(step.instruction.run(operands), buffer.element)
    mismatch = _mismatch(result, buffer)
    if mismatch:
        raise DelegateExecuteError(f"{step.opcode} into buffer {step.output}: {mismatch}.")
    return result


def _stored(result: Array, element: ElementType) -> Array:
    """The one rounding per instruction."""
    if element is ElementType.FLOAT32:
        return widen(result)
    return narrow(result) if element is ElementType.FLOAT16 else result


def _mismatch(array: Array, buffer: Buffer) -> str:
    if array.shape == buffer.shape and array.dtype == buffer.element.numpy:
        return ""
    return f"expected {buffer.element} {buffer.shape} ({buffer.nbytes} bytes), got {array.dtype} {array.shape}"
