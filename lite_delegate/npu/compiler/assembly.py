"""Assembly: a module under construction whose buffers have places."""

from __future__ import annotations

from dataclasses import replace

from ..device.instructions.movement import View
from ..device.programs.instruction import Shape
from ..device.programs.memory import MemoryRegion
from ..device.programs.program import Buffer, Program, ProgramStep
from ..ir.editing import UniqueNames
from ..ir.module import MakeConstant, Module, ModulePort


class Assembly:
    """Collects placed buffers and steps."""

    def __init__(self) -> None:
        self._buffers: list[Buffer] = []
        self._regions: list[MemoryRegion] = []
        self._steps: list[ProgramStep] = []
        self._constants: dict[int, MakeConstant] = {}
        self._names = UniqueNames(())
        self._views: dict[tuple[int, Shape], int] = {}
        self.inputs: list[ModulePort] = []
        self.outputs: list[ModulePort] = []

    def buffer(self, buffer: Buffer, region: MemoryRegion) -> int:
        """A new buffer and where it lies."""
        self._buffers.append(buffer)
        self._regions.append(region)
        return len(self._buffers) - 1

    def constant(self, buffer: Buffer, region: MemoryRegion, make: MakeConstant) -> int:
        """A new constant buffer."""
        index = self.buffer(buffer, region)
        self._constants[index] = make
        return index

    def region(self, index: int) -> MemoryRegion:
        """The place of a buffer."""
        return self._regions[index]

    def add(self, step: ProgramStep) -> int:
        """Adds a step, under another name if its own is taken. Returns the buffer that it fills."""
        self._steps.append(replace(step, name=self._names.unique(step.name)))
        return step.output

    def viewed(self, index: int, view: ProgramStep, stage: int) -> int:
        """A buffer as ``view`` of the flow's module shows it, for a reader in ``stage``; itself if it has that shape.

        There is one view of a buffer for each shape.
        """
        assert isinstance(view.instruction, View)
        shape = view.instruction.shape
        if self._buffers[index].shape == shape:
            return index
        if (index, shape) not in self._views:
            output = self.buffer(replace(self._buffers[index], shape=shape), self._regions[index])
            self.add(replace(view, operands=(index,), output=output, stage=stage, tiles=0))
            self._views[index, shape] = output
        return self._views[index, shape]

    def module(self) -> Module:
        """The module that was collected."""
        return Module(
            tuple(self._buffers), tuple(self._steps), self._constants, tuple(self.inputs), tuple(self.outputs)
        )

    def program(self) -> Program:
        """The program that was collected, for the device.

        Raises:
            DelegateBuildError: buffers that are in use at once overlap, or another rule is broken.
        """
        return self.module().program(tuple(self._regions))
