"""Programs: typed buffers and the steps that fill them."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Any

import numpy as np

from ....basics.data_class import dataclass
from .instruction import Instruction, Shape
from .memory import ALIGNMENT, MemoryRegion


class ElementType(StrEnum):
    """The element types of device memory.

    Attributes:
        numpy: the numpy dtype.
    """

    numpy: np.dtype[Any]

    FLOAT16 = "float16"
    FLOAT32 = "float32"
    INT8 = "int8"
    UINT8 = "uint8"
    INT32 = "int32"
    BOOL = "bool"

    def __init__(self, name: str) -> None:
        self.numpy = np.dtype(name)


@dataclass(frozen=True, slots=True)
class Buffer:
    """A device tensor: its dimensions in device order and its element type."""

    shape: Shape
    element: ElementType

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return math.prod(self.shape) * self.element.numpy.itemsize

    @property
    def footprint(self) -> int:
        """Bytes of memory that it takes up, see ``aligned``."""
        return max(1, -(-math.prod(self.shape) * self.element.numpy.itemsize // ALIGNMENT)) * ALIGNMENT


@dataclass(frozen=True, slots=True)
class ProgramStep:
    """An instruction with the buffers it reads and the buffer it fills, by index.

    Attributes:
        name: unique in the program.
        layers: names of the model's kernels that it stands for; several where kernels were fused.
        stage: the number of its stage, which never falls from step to step. Steps of one stage may run side by side, as
            soon as their operands are there. Memory is reused at the earliest in the stage after its last use.
        tiles: compute tiles that it runs on; 0 for views and for steps of the DMA engines.
        streamed: whether the computation does not fit into the scratchpad: it reads and writes DRAM as well.
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
    """The steps that the device runs. Buffers are named by their index in ``buffers``.

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
    steps: tuple[ProgramStep, ...]
    regions: tuple[MemoryRegion, ...] = ()

    def last_uses(self) -> tuple[tuple[int, ...], ...]:
        """For each step, the buffers that nobody reads after it and whose memory can be given back."""
        keep = {*self.outputs, *self.constants}
        last = {i: number for number, step in enumerate(self.steps) for i in (*step.operands, step.output)}
        free: list[list[int]] = [[] for _ in self.steps]
        for buffer, number in last.items():
            if buffer not in keep:
                free[number].append(buffer)
        return tuple(tuple(buffers) for buffers in free)
