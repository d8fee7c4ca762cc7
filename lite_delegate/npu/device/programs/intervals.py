"""Disjoint stretches of a memory in order of address: bisection finds the stretches that a new one overlaps."""

from __future__ import annotations

from bisect import bisect_left, bisect_right


class Intervals:
    """Stretches of bytes ``start`` to ``stop``, each with a number that says whose it is. None overlaps another."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._stops: list[int] = []
        self._names: list[int] = []

    def meeting(self, start: int, stop: int) -> list[int]:
        """The numbers of the stretches that have a byte between ``start`` and ``stop``, in order of address."""
        return self._names[bisect_right(self._stops, start) : bisect_left(self._starts, stop)]

    def add(self, start: int, stop: int, name: int) -> None:
        """Adds a stretch that meets no other one; it is not empty."""
        place = bisect_left(self._starts, start)
        self._starts.insert(place, start)
        self._stops.insert(place, stop)
        self._names.insert(place, name)

    def remove(self, start: int, stop: int) -> None:
        """Removes every stretch that has a byte between ``start`` and ``stop``."""
        place = slice(bisect_right(self._stops, start), bisect_left(self._starts, stop))
        for each in (self._starts, self._stops, self._names):
            del each[place]
