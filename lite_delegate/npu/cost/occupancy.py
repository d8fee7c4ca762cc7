"""Occupancy: the times at which memory is free for its next use, after the last read of its contents."""

from __future__ import annotations

from dataclasses import field

from ...basics.data_class import dataclass
from ..device.placement import owners
from ..device.programs.intervals import Intervals
from ..device.programs.memory import MemoryKind
from ..device.programs.program import Program, ProgramStep


@dataclass(slots=True)
class Occupancy:
    """The users of all bytes, and the end of each use. Without regions every buffer has memory of its own.

    Args:
        program: the program that runs.
    """

    program: Program
    _owner: list[int] = field(init=False)
    _until: dict[int, int] = field(init=False, default_factory=dict)
    _present: dict[MemoryKind, Intervals] = field(init=False)

    def __post_init__(self) -> None:
        self._owner = owners(self.program)
        self._present = {memory: Intervals() for memory in MemoryKind}
        for index in (*self.program.constants, *self.program.inputs):
            self.free_at(index)

    def free_at(self, buffer: int) -> int:
        """The cycle from which ``buffer`` may be filled, after the earlier users of its memory. It is the user now."""
        owner = self._owner[buffer]
        if owner in self._until or not self.program.regions:
            return 0
        self._until[owner] = 0
        region = self.program.regions[owner]
        start, stop = region.offset, region.offset + self.program.buffers[owner].footprint
        present = self._present[region.memory]
        gone = present.meeting(start, stop)
        present.remove(start, stop)
        present.add(start, stop, owner)
        return max(map(self._until.__getitem__, gone), default=0)

    def use(self, step: ProgramStep, end: int) -> None:
        """A step uses the memory of its operands and its result until ``end``."""
        for buffer in (*step.operands, step.output):
            owner = self._owner[buffer]
            self._until[owner] = max(self._until.get(owner, 0), end)
