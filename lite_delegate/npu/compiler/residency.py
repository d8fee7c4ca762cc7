"""Residency: the values in the scratchpad, the values in DRAM, and the choice of values to evict."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import field

from ...basics.data_class import dataclass
from ..device.instructions.dma import Dma
from ..device.programs.memory import MemoryKind, MemoryRegion
from ..device.programs.program import ProgramStep
from .allocate import FreeList
from .assembly import Assembly
from .flow import MemoryFlow

NEVER = 2**62


@dataclass(slots=True)
class Residence:
    """The whereabouts of a root at the moment.

    Attributes:
        maker: the step that fills it; None for constants and inputs.
        uses: numbers of the stages that read it, in order.
        home: its buffer in DRAM; None before it has one.
        here: its buffer in the scratchpad; None while it is not there.
        stays: whether its memory in DRAM is never given back.
    """

    maker: ProgramStep | None = None
    uses: list[int] = field(default_factory=list)
    home: int | None = None
    here: int | None = None
    stays: bool = False

    def next_use(self, after: int) -> int:
        """The first stage from ``after`` on that reads the root, ``NEVER`` if no stage does."""
        return next((use for use in self.uses if use >= after), NEVER)


class Residency:
    """Keeps track of both memories, and adds the transfers between them to an assembly."""

    def __init__(self, flow: MemoryFlow, out: Assembly) -> None:
        self._flow = flow
        self._out = out
        self._scratchpad = FreeList(flow.capacity)
        self._dram = FreeList()
        self._leaving: list[int] = []
        self.values: dict[int, Residence] = {}

    def in_dram(self, root: int) -> MemoryRegion:
        """Memory in DRAM for a root."""
        offset = self._dram.take(self._flow.module.buffers[root].nbytes)
        assert offset is not None
        return MemoryRegion(MemoryKind.DRAM, offset)

    def home(self, root: int) -> int:
        """The buffer of a root in DRAM; a new one if it has none."""
        value = self.values[root]
        if value.home is None:
            value.home = self._out.buffer(self._flow.module.buffers[root], self.in_dram(root))
        return value.home

    def fill_here(self, root: int, offset: int) -> int:
        """A new buffer for a root in the scratchpad, at a place that was taken for it."""
        here = self._out.buffer(self._flow.module.buffers[root], MemoryRegion(MemoryKind.SCRATCHPAD, offset))
        self.values[root].here = here
        return here

    def load(self, root: int, offset: int, like: ProgramStep) -> None:
        """Brings a root from DRAM to a place that was taken for it, in the stage and for the layers of ``like``."""
        source = self.home(root)
        step = ProgramStep(
            Dma(), (source,), self.fill_here(root, offset), f"{like.name}/load", like.layers, like.stage, 0
        )
        self._out.add(step)

    def save(self, root: int, stage: int) -> None:
        """Copies a root from the scratchpad to DRAM, unless it is there."""
        value = self.values[root]
        if value.home is None:
            maker, here = value.maker, value.here
            assert maker is not None
            assert here is not None
            self._out.add(ProgramStep(Dma(), (here,), self.home(root), f"{maker.name}/save", maker.layers, stage, 0))

    def room(self, stage: int, wanted: Sequence[int]) -> dict[int, int]:
        """A place in the scratchpad for each missing root of ``wanted``, which are all needed at once.

        Other roots leave if they must. Where the holes between the remaining roots are too small, all roots leave, and
        all of ``wanted`` get new places side by side, since together they do not exceed the scratchpad.
        """
        places: dict[int, int] = {}
        for root in (i for i in wanted if self.values[i].here is None):
            offset = self._take(root, stage, wanted, stage - 1)
            if offset is None:
                return self._room_for_all(stage, wanted, places)
            places[root] = offset
        return places

    def _room_for_all(self, stage: int, wanted: Sequence[int], places: dict[int, int]) -> dict[int, int]:
        for offset in places.values():
            self._scratchpad.give(offset)
        for root in [i for i, value in self.values.items() if value.here is not None]:
            self._evict(root, stage)
        found = {root: self._scratchpad.take(self._flow.sizes[root]) for root in wanted}
        return {root: offset for root, offset in found.items() if offset is not None}

    def room_for_result(self, root: int, stage: int, wanted: Collection[int]) -> int | None:
        """A place for the result of a DMA step in ``stage``; only roots that are needed later leave. None: no room.

        Args:
            wanted: roots that must stay, because the stage's computations need them.
        """
        return self._take(root, stage, wanted, self.values[root].next_use(stage + 1))

    def free_room(self, root: int) -> int | None:
        """A place for a root if one is free without another root leaving."""
        return self._scratchpad.take(self._flow.sizes[root])

    def _take(self, root: int, stage: int, keep: Collection[int], needed: int) -> int | None:
        """A place for a root; where none is free, roots leave whose next use comes after stage ``needed``."""
        while (offset := self._scratchpad.take(self._flow.sizes[root])) is None:
            candidates = [
                (value.next_use(stage), value.home is not None, self._flow.sizes[i], i)
                for i, value in self.values.items()
                if value.here is not None and i not in keep and value.next_use(stage) > needed
            ]
            if not candidates:
                return None
            self._evict(max(candidates)[-1], stage)
        return offset

    def _evict(self, root: int, stage: int) -> None:
        """Takes a root out of the scratchpad. A root without a copy in DRAM is saved in the stage before, since
        ``stage`` reuses its memory."""
        self.save(root, stage - 1)
        self._leave(root)

    def _leave(self, root: int) -> None:
        here = self.values[root].here
        assert here is not None
        self._scratchpad.give(self._out.region(here).offset)
        self.values[root].here = None

    def release(self, stage: int, roots: Iterable[int]) -> None:
        """Gives back the memory of the roots of ``roots``, each once, that no stage after ``stage`` reads.

        Memory in DRAM is given back one stage later, because leaving roots are still saved in ``stage``.
        """
        for offset in self._leaving:
            self._dram.give(offset)
        self._leaving = []
        for root in roots:
            value = self.values[root]
            if value.next_use(stage + 1) != NEVER:
                continue
            if value.here is not None:
                self._leave(root)
            if value.home is not None and not value.stays:
                self._leaving.append(self._out.region(value.home).offset)
                value.stays = True
