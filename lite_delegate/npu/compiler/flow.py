"""Flow: questions of scheduling and placing about a module. Views are looked through: they share their operand's
memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..device.instructions.movement import Concatenate, MovementInstruction, View
from ..device.programs.memory import aligned
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

    def size(self, root: int) -> int:
        """Bytes that a root takes up."""
        return aligned(self.module.buffers[root].nbytes)

    def kept(self, root: int) -> int:
        """Bytes of the scratchpad that a result takes up while it waits for its readers.

        None where it is put together in DRAM, or goes there at once because that is where all its readers want it.
        """
        readers = self.readers.get(root, ())
        passes = bool(readers) and all(reader.output in self.gathered for reader in readers)
        return 0 if passes or root in self.gathered else self.size(root)

    def operands(self, step: ProgramStep) -> tuple[int, ...]:
        """The roots that a step reads, each once, in order."""
        return tuple(dict.fromkeys(self.root[i] for i in step.operands))

    def touched(self, steps: Iterable[ProgramStep]) -> tuple[int, ...]:
        """The roots that steps read and fill, each once."""
        return tuple(dict.fromkeys(i for step in steps for i in (*self.operands(step), step.output)))

    def working_set(self, steps: Iterable[ProgramStep]) -> int:
        """Bytes of the scratchpad that steps need when they run at once."""
        return sum(map(self.size, self.touched(steps)))

    def streams(self, step: ProgramStep) -> bool:
        """True for a computation that exceeds the scratchpad by itself, and works on DRAM."""
        return not isinstance(step.instruction, MovementInstruction) and self.working_set([step]) > self.capacity

    def _exceeds(self, step: ProgramStep) -> bool:
        return isinstance(step.instruction, Concatenate) and self.working_set([step]) > self.capacity
