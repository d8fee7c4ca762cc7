"""Programs: typed buffers and the steps that fill them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Any

import numpy as np

from ...errors import DelegateBuildError
from .instruction import Instruction, Shape
from .memory import Region
from .placement import check_placement
from .shapes import unfit


class ElementType(StrEnum):
    """What device memory can hold."""

    FLOAT16 = "float16"
    FLOAT32 = "float32"
    INT8 = "int8"
    UINT8 = "uint8"
    INT32 = "int32"
    BOOL = "bool"

    @property
    def numpy(self) -> np.dtype[Any]:
        """The numpy dtype."""
        return np.dtype(self.value)


@dataclass(frozen=True, slots=True)
class Buffer:
    """A device tensor: its dimensions in device order and its element type."""

    shape: Shape
    element: ElementType

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return math.prod(self.shape) * self.element.numpy.itemsize


@dataclass(frozen=True, slots=True)
class Step:
    """An instruction with the buffers it reads and the one it fills, by index.

    Attributes:
        name: unique in the program.
        layers: names of the model's kernels that it stands for; several where some were fused.
        stage: steps of one stage may run side by side, as soon as their operands are there. Never falls from step to
            step. Memory that a stage is the last to use has another content from the next stage on at the earliest.
        tiles: compute tiles that it runs on; 0 where it needs none: views, and what the DMA engines do alone.
        streamed: a computation that does not fit into the scratchpad: it reads and writes DRAM as well.
    """

    instruction: Instruction
    operands: tuple[int, ...]
    output: int
    name: str = ""
    layers: tuple[str, ...] = ()
    stage: int = 0
    tiles: int = 1
    streamed: bool = False

    @property
    def opcode(self) -> str:
        """The instruction's name."""
        return type(self.instruction).__name__


@dataclass(frozen=True, slots=True)
class Program:
    """What the device runs. Buffers are named by their index in ``buffers``.

    Attributes:
        buffers: every device tensor.
        constants: buffers that are filled once, when the program is loaded.
        inputs: buffers that the host fills for each run, each once.
        outputs: buffers that the host reads after each run; one may be listed twice, or be an input.
        steps: in execution order.
        regions: where each buffer lies; empty before the buffers have places.
    """

    buffers: tuple[Buffer, ...]
    constants: tuple[int, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    steps: tuple[Step, ...]
    regions: tuple[Region, ...] = ()

    def check(self) -> None:
        """Checks that every buffer is filled once, and before it is read; and where buffers lie, once they have places.

        Raises:
            DelegateBuildError: something is wrong; the message names the step.
        """
        filled = set(self.constants) | set(self.inputs)
        if len(filled) != len(self.constants) + len(self.inputs):
            twice = sorted(i for i, n in Counter((*self.constants, *self.inputs)).items() if n > 1)
            raise DelegateBuildError(f"Constants and inputs must be distinct buffers; listed twice: {twice[:8]}.")
        for number, step in enumerate(self.steps):
            missing = [i for i in step.operands if i not in filled]
            if missing or step.output in filled:
                raise DelegateBuildError(
                    f"Step {number} ({step.opcode}) reads buffers {list(step.operands)[:8]} and fills {step.output}; "
                    f"not filled before it: {missing[:8]}; filled already: {step.output in filled}."
                )
            filled.add(step.output)
        unknown = sorted(filled.union(self.outputs) - set(range(len(self.buffers))))
        if unknown or not filled.issuperset(self.outputs):
            unfilled = sorted(set(self.outputs) - filled)
            raise DelegateBuildError(
                f"Outputs must be filled buffers; not filled: {unfilled[:8]}; no such buffers: {unknown[:8]}."
            )
        for step in self.steps:
            self._check_shape(step)
        if self.regions:
            check_placement(self)

    def _check_shape(self, step: Step) -> None:
        """The operands fit the instruction, and its result the buffer that it fills."""
        shapes = [self.buffers[i].shape for i in step.operands]
        wanted = self.buffers[step.output].shape
        try:
            if len(shapes) not in step.instruction.arity:
                raise unfit(f"{_few(step.instruction.arity)} operands", len(shapes))
            found = step.instruction.result_shape(shapes)
            if found != wanted:
                raise unfit(f"a buffer of {found} for the result", wanted)
        except ValueError as e:
            raise DelegateBuildError(f"Step '{step.name}' ({step.opcode}): {e}.") from e

    def last_uses(self) -> tuple[tuple[int, ...], ...]:
        """For each step, the buffers that nobody reads after it and whose memory can be given back."""
        keep = {*self.outputs, *self.constants}
        last = {i: number for number, step in enumerate(self.steps) for i in (*step.operands, step.output)}
        free: list[list[int]] = [[] for _ in self.steps]
        for buffer, number in last.items():
            if buffer not in keep:
                free[number].append(buffer)
        return tuple(tuple(buffers) for buffers in free)


def _few(numbers: Collection[int]) -> str:
    """The first numbers, for messages."""
    shown = " or ".join(map(str, islice(numbers, 3)))
    return f"{shown} or more" if len(numbers) > 3 else shown
