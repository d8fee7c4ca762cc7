"""Better levels for graphs of any size, by moving one node at a time."""

from __future__ import annotations

from collections.abc import Sequence

from .crossing import FEW, PlainCrossing, TalliedCrossing
from .goal import Goal
from .graph import PartitionGraph

ROUNDS = 4
"""Passes there and back. Two bring nearly all there is to gain."""


def improve(
    graph: PartitionGraph, goal: Goal, runs: int, crossings: Sequence[PlainCrossing], start: Sequence[int]
) -> list[int]:
    """Levels that score at least as well as ``start``, in O(V + E) for each of a fixed number of passes.

    A pass walks against the edges and moves nodes to later runs, or along them and to earlier runs. A node moves
    where fewer bytes cross then, or as many, so that a chain of nodes can follow one by one. Refused nodes make room:
    they are as late as can be in a pass to later runs, as early as can be in the other.
    """
    moves = _Moves(graph, goal, runs, crossings, start)
    best, gained = list(start), True
    for _ in range(ROUNDS):
        gained = moves.pass_later() + moves.pass_earlier() > 0
        if not gained:
            break
        best = list(moves.levels)
    return best


class _Moves:
    """Levels that change. ``touching`` has the crossings of each node that is free to move."""

    def __init__(
        self, graph: PartitionGraph, goal: Goal, runs: int, crossings: Sequence[PlainCrossing], start: Sequence[int]
    ) -> None:
        self.graph, self.goal, self.runs = graph, goal, runs
        self.levels = list(start)
        self.sizes = goal.sizes(start)
        self.touching: dict[int, list[PlainCrossing]] = {}
        for plain in crossings:
            crossing = TalliedCrossing(plain, start) if len(plain.readers) > FEW else plain
            for node in {plain.producer, *plain.readers} - {-1}:
                self.touching.setdefault(node, []).append(crossing)

    def pass_later(self) -> int:
        """Moves nodes to later runs; how many moves gained something."""
        claimed, levels = self.graph.claimed, self.levels
        upper = [self.runs] * len(levels)
        gains = 0
        for node in range(len(levels) - 1, -1, -1):
            top = upper[node]
            if not claimed[node]:
                levels[node] = top
            elif top > levels[node]:
                gains += self._move(node, levels[node], top, towards=top)
            level = levels[node]
            for p in self.graph.predecessors[node]:
                bound = level - 1 if claimed[node] and not claimed[p] else level
                if bound < upper[p]:
                    upper[p] = bound
        return gains

    def pass_earlier(self) -> int:
        """Moves nodes to earlier runs; how many moves gained something."""
        claimed, levels = self.graph.claimed, self.levels
        gains = 0
        for node, before in enumerate(self.graph.predecessors):
            low = 1 if claimed[node] else 0
            for p in before:
                bound = levels[p] + 1 if claimed[node] and not claimed[p] else levels[p]
                if bound > low:
                    low = bound
            if not claimed[node]:
                levels[node] = low
            elif low < levels[node]:
                gains += self._move(node, low, levels[node], towards=low)
        return gains

    def _move(self, node: int, low: int, high: int, towards: int) -> bool:
        """Moves a node to the best level of a window, to the end ``towards`` among equals; whether that gained."""
        here, touching = self.levels[node], self.touching.get(node, ())
        nearby = {level for c in touching for level in c.near(self.levels) if low <= level <= high}
        best, gain = here, (0, 0)
        for level in sorted((nearby | {towards}) - {here}, key=lambda level: abs(level - here)):
            lost, short = self._sizes_change(node, here, level)
            change = (short, sum(c.change(self.levels, node, level) for c in touching))
            if change <= gain and (short < 0 or lost <= 0):
                best, gain = level, change
        if best != here:
            self._put(node, best)
        return gain < (0, 0)

    def _put(self, node: int, level: int) -> None:
        for crossing in self.touching.get(node, ()):
            crossing.moved(self.levels, node, level)
        weight = self.goal.weights[node]
        self.sizes[self.levels[node]] -= weight
        self.sizes[level] += weight
        self.levels[node] = level

    def _sizes_change(self, node: int, here: int, to: int) -> tuple[int, int]:
        """How many kernels more are in runs that are too small, and how many more such runs lack."""
        goal = self.goal
        if not goal.least:
            return 0, 0
        weight, old, new = goal.weights[node], self.sizes[here], self.sizes[to]
        lost = goal.lost((old - weight, new + weight)) - goal.lost((old, new))
        return lost, goal.shortage(old - weight, new + weight) - goal.shortage(old, new)
