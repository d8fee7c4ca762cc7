"""Engines of one kind, each of which does one thing at a time."""

from __future__ import annotations


class Engines:
    """Keeps the cycle from which each engine is free.

    Args:
        count: at least 1.
    """

    def __init__(self, count: int) -> None:
        self._free = [0] * count

    def free(self, wanted: int) -> int:
        """The first cycle in which ``wanted`` engines are free."""
        return self._free[wanted - 1]

    def take(self, wanted: int, until: int) -> None:
        """Occupies the ``wanted`` engines that are free first, until the given cycle."""
        self._free = sorted([*self._free[wanted:], *[until] * wanted])
