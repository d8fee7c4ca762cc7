"""Goals: the measure by which one order with the fewest runs is better than another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from ...basics.data_class import dataclass

Score: TypeAlias = tuple[int, int]
"""Kernels in runs that are too small, then bytes that cross; less is better."""


@dataclass(frozen=True, slots=True)
class Goal:
    """The goal of an order: runs of at least ``least`` kernels first, then few bytes.

    Attributes:
        weights: the number of kernels that each node stands for.
        claimed: whether the node counts.
        runs: the number of runs.
        least: the fewest kernels of a run; 0 for any number.
    """

    weights: Sequence[int]
    claimed: Sequence[bool]
    runs: int
    least: int = 0

    def lost_in(self, levels: Sequence[int]) -> int:
        """Kernels in runs that are too small, in an order with these levels."""
        return self.lost(self.sizes(levels)) if self.least else 0

    def sizes(self, levels: Sequence[int]) -> list[int]:
        """Kernels of each run by its number; index 0 is for claimed nodes without a run."""
        sizes = [0] * (self.runs + 1)
        for node, level in enumerate(levels):
            if self.claimed[node]:
                sizes[level] += self.weights[node]
        return sizes

    def lost(self, sizes: Iterable[int]) -> int:
        """Kernels in runs that are too small."""
        return sum(size for size in sizes if size < self.least) if self.least else 0

    def shortage(self, *sizes: int) -> int:
        """Kernels that runs of these sizes lack."""
        return sum(max(0, self.least - size) for size in sizes)
