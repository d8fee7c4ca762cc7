"""FreeList: the free stretches of a memory, and the choice of one for a buffer."""

from __future__ import annotations

from bisect import bisect_left, insort

from ..device.programs.memory import aligned


class FreeList:
    """A memory of which buffers take stretches and give them back. Offsets and sizes are multiples of ``ALIGNMENT``.

    A buffer gets the smallest free stretch that is large enough, the first of several (best fit); a stretch that is
    given back grows together with its free neighbors.

    Args:
        capacity: bytes; None: without end.
    """

    def __init__(self, capacity: int | None = None) -> None:
        self._end = 2**62 if capacity is None else capacity
        self._free: list[tuple[int, int]] = [(0, self._end)] if self._end else []
        self._taken: dict[int, int] = {}
        self.peak = 0
        """The byte up to which memory was ever taken."""

    def take(self, nbytes: int) -> int | None:
        """The offset of a stretch for ``nbytes``; None when no free one is large enough."""
        size = aligned(nbytes)
        fitting = [(stop - start, start, stop) for start, stop in self._free if stop - start >= size]
        if not fitting:
            return None
        _, start, stop = min(fitting)
        place = bisect_left(self._free, (start, stop))
        self._free[place : place + 1] = [(start + size, stop)] if start + size < stop else []
        self._taken[start] = size
        self.peak = max(self.peak, start + size)
        return start

    def give(self, offset: int) -> None:
        """Gives back the stretch that begins at ``offset``.

        Raises:
            KeyError: none that is taken begins there.
        """
        start, stop = offset, offset + self._taken.pop(offset)
        place = bisect_left(self._free, (start, stop))
        if place < len(self._free) and self._free[place][0] == stop:
            stop = self._free.pop(place)[1]
        if place and self._free[place - 1][1] == start:
            start = self._free.pop(place - 1)[0]
        insort(self._free, (start, stop))

    @property
    def taken(self) -> dict[int, int]:
        """The size of each stretch that is taken, by its offset."""
        return dict(self._taken)
