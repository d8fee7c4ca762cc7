"""Module: a run of kernels as instructions without places in memory, which passes rewrite."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ...basics.data_class import dataclass
from ...ir.axes import Axes
from ...tensors.tensor import Tensor
from ..device.program_check import check_program
from ..device.programs.instruction import Array
from ..device.programs.memory import MemoryRegion
from ..device.programs.program import Buffer, Program, ProgramStep

MakeConstant = Callable[[], Array]
"""Gives the exact contents of a constant buffer, of its shape; packing rounds them to its element type, once."""


@dataclass(frozen=True, slots=True)
class ModulePort:
    """A tensor that crosses between host and device.

    Attributes:
        tensor: of the host, in model order.
        buffer: of the device.
        axes: device axis i is model axis ``axes[i]``; the copy that crosses does this packing.
    """

    tensor: Tensor
    buffer: int
    axes: Axes


@dataclass(frozen=True, slots=True)
class Module:
    """Instructions over typed buffers; each buffer is filled once.

    Attributes:
        buffers: every device tensor; steps, constants and ports name them by index.
        steps: in execution order.
        constants: for each constant buffer, the function for its contents, which is called when the program is packed.
        inputs: the input ports, each buffer once; a tensor has a port for each element type in which it crosses.
        outputs: the output ports in the order of the boundary; several may name one buffer, also an input or constant.
    """

    buffers: tuple[Buffer, ...]
    steps: tuple[ProgramStep, ...]
    constants: Mapping[int, MakeConstant]
    inputs: tuple[ModulePort, ...]
    outputs: tuple[ModulePort, ...]

    def program(self, regions: tuple[MemoryRegion, ...] = ()) -> Program:
        """The program of the device.

        Args:
            regions: the place of each buffer; none: every buffer has a place of its own.

        Raises:
            DelegateBuildError: a buffer is filled twice, or read before it is filled, or another rule is broken.
        """
        program = Program(
            buffers=self.buffers,
            constants=tuple(self.constants),
            inputs=tuple(port.buffer for port in self.inputs),
            outputs=tuple(port.buffer for port in self.outputs),
            steps=self.steps,
            regions=regions,
        )
        check_program(program)
        return program

    def pack_constants(self, threads: int = 1) -> dict[int, Array]:
        """The contents of every constant buffer, in the element type of device memory.

        Args:
            threads: that may work on it at once; the result does not depend on them.
        """

        def pack_one(index: int) -> Array:
            return packed(self.constants[index](), self.buffers[index])

        if threads == 1 or len(self.constants) < 2:
            return {index: pack_one(index) for index in self.constants}
        with ThreadPoolExecutor(min(threads, len(self.constants))) as pool:
            return dict(zip(self.constants, pool.map(pack_one, self.constants), strict=True))


def packed(array: Array, buffer: Buffer) -> Array:
    """``array`` as device memory keeps it: contiguous, each element rounded once to the buffer's type."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        return np.ascontiguousarray(array, dtype=buffer.element.numpy).reshape(array.shape)
