"""A machine with two memories of bytes: it runs a placed program by reading and writing regions, step by step.

Whatever overlaps, is overwritten too early or lies in the wrong place gives other results than the simulator, in which
each buffer is an array of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite_delegate.npu.device import MemoryKind, Program
from lite_delegate.npu.device.instructions.movement import View
from lite_delegate.npu.device.programs.memory import aligned
from tests.npu.compiler.modules import Array


class Machine:
    """Both memories are full of noise at first.

    Args:
        program: every buffer has a region.
        scratchpad: bytes.
    """

    def __init__(self, program: Program, scratchpad: int) -> None:
        assert len(program.regions) == len(program.buffers)
        dram = max(
            region.offset + aligned(buffer.nbytes)
            for region, buffer in zip(program.regions, program.buffers, strict=True)
        )
        random = np.random.default_rng(0)
        self._program = program
        self._memories = {
            MemoryKind.DRAM: random.integers(0, 256, dram, np.uint8),
            MemoryKind.SCRATCHPAD: random.integers(0, 256, scratchpad, np.uint8),
        }

    def run(self, constants: Mapping[int, Array], inputs: Sequence[Array]) -> list[Array]:
        """The outputs, read from memory at the end."""
        program = self._program
        for index in program.constants:
            self._place(index)[...] = constants[index]
        for index, array in zip(program.inputs, inputs, strict=True):
            self._place(index)[...] = array
        with np.errstate(all="ignore"):
            for step in program.steps:
                if not isinstance(step.instruction, View):
                    result = step.instruction.run([self._place(i).copy() for i in step.operands])
                    self._place(step.output)[...] = result
        return [self._place(index).copy() for index in program.outputs]

    def _place(self, index: int) -> Array:
        """A view of the memory of a buffer; of a part, with the strides of the whole."""
        region, buffer = self._program.regions[index], self._program.buffers[index]
        like = buffer.shape if region.part_of < 0 else self._program.buffers[region.part_of].shape
        strides = [buffer.element.numpy.itemsize]
        for dim in reversed(like[1:]):
            strides.insert(0, strides[0] * dim)
        memory = self._memories[region.memory]
        return np.ndarray(buffer.shape, buffer.element.numpy, memory, region.offset, strides[: len(buffer.shape)])
