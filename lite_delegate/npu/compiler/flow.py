"""Flow: questions of scheduling and placing about a module. Views are looked through: they share their operand's
memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..device.instructions.movement import Concatenate, MovementInstruction, View
from ..device.programs.program import ProgramStep
from ..ir.module import Module


class MemoryFlow:
    """The fillers and readers of all memory. A *root* is a buffer that is no view: it stands for all its views.

    Args:
        module: the module to schedule and place.
        capacity: bytes of the scratchpad.
    """

    def __init__(self, module: Module, capacity: int) -> None:
        self.module = module
        self.capacity = capacity
        self.root = list(range(len(module.buffers)))
        self.views: dict[int, ProgramStep] = {}
        """The view that fills each buffer that is no root, for the layers of all views between it and its root."""
        for step in module.steps:
            if isinstance(step.instruction, View):
                (shown,) = step.operands
                self.root[step.output] = self.root[shown]
                layers = (*self.views[shown].layers, *step.layers) if shown in self.views else step.layers
                self.views[step.output] = replace(step, layers=tuple(dict.fromkeys(layers)))
        self.steps = tuple(step for step in module.steps if not isinstance(step.instruction, View))
        """All but views, in execution order."""
        self.sizes = [buffer.footprint for buffer in module.buffers]
        """Bytes that each buffer takes up."""
        self._operands = {s.output: tuple(dict.fromkeys([self.root[i] for i in s.operands])) for s in self.steps}
        self.sources = frozenset((*module.constants, *(port.buffer for port in module.inputs)))
        """Roots that lie in DRAM from the start."""
        self.outside = frozenset(self.root[port.buffer] for port in module.outputs)
        """Roots that the host reads."""
        self.gathered = frozenset(step.output for step in self.steps if self._exceeds(step))
        """Results of concatenations that are put together in DRAM: with their operands they exceed the scratchpad."""
        self.readers: dict[int, list[ProgramStep]] = {}
        """The steps that read a root, in execution order."""
        for step in self.steps:
            for i in self.operands(step):
                self.readers.setdefault(i, []).append(step)
        self.kept = {step.output: self._kept(step.output) for step in self.steps}
        """Bytes of the scratchpad that each result takes up while it waits for its readers."""

    def _kept(self, root: int) -> int:
        """None where it is put together in DRAM, or goes there at once because all its readers want it there."""
        readers = {reader.output for reader in self.readers.get(root, ())}
        passes = bool(readers) and readers <= self.gathered
        return 0 if passes or root in self.gathered else self.sizes[root]

    def operands(self, step: ProgramStep) -> tuple[int, ...]:
        """The roots that a step reads, each once, in order."""
        return self._operands[step.output]

    def touched(self, steps: Iterable[ProgramStep]) -> tuple[int, ...]:
        """The roots that steps read and fill, each once."""
        found: dict[int, None] = {}
        for step in steps:
            found.update(dict.fromkeys((*self._operands[step.output], step.output)))
        return tuple(found)

    def working_set(self, steps: Iterable[ProgramStep]) -> int:
        """Bytes of the scratchpad that steps need when they run at once."""
        return sum(map(self.sizes.__getitem__, self.touched(steps)))

    def streams(self, step: ProgramStep) -> bool:
        """True for a computation that exceeds the scratchpad by itself, and works on DRAM."""
        return not isinstance(step.instruction, MovementInstruction) and self.working_set([step]) > self.capacity

    def _exceeds(self, step: ProgramStep) -> bool:
        return isinstance(step.instruction, Concatenate) and self.working_set([step]) > self.capacity
