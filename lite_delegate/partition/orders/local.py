"""Better levels for graphs of any size, by moving one node at a time."""

from __future__ import annotations

from collections.abc import Sequence

from ..crossing import FEW, Crossing, CrossingView, TalliedCrossing
from ..graph import PartitionGraph
from .goal import Goal

ROUNDS = 2
"""Passes there and back. A third one was seen to gain less than a thousandth."""


def improve(graph: PartitionGraph, goal: Goal, crossings: Sequence[Crossing], start: Sequence[int]) -> list[int]:
    """Levels that score at least as well as ``start``, in O(V + E) for each of a fixed number of passes.

    A pass walks against the edges and moves nodes to later runs, or along the edges and moves them to earlier runs. A
    node moves where fewer bytes cross then, or as many, so that a chain of nodes can follow one by one. Rejected nodes
    make room: they are as late as possible in a pass to later runs, as early as possible in a pass to earlier runs.
    """
    moves = _Moves(graph, goal, crossings, start)
    best, gained = list(start), True
    for _ in range(ROUNDS):
        gained = moves.pass_later() + moves.pass_earlier() > 0
        if not gained:
            break
        best = list(moves.levels)
    return best


class _Moves:
    """Levels that change. ``touching`` has the crossings that each node is an end of."""

    def __init__(self, graph: PartitionGraph, goal: Goal, crossings: Sequence[Crossing], start: Sequence[int]) -> None:
        self.graph, self.goal = graph, goal
        self.levels = list(start)
        self.sizes = goal.sizes(start)
        self.touching: list[list[Crossing]] = [[] for _ in start]
        for plain in crossings:
            crossing = TalliedCrossing(plain, start) if len(plain.ends) > FEW else plain
            for node in plain.ends:
                self.touching[node].append(crossing)

    def pass_later(self) -> int:
        """Moves nodes to later runs; how many moves gained something."""
        claimed, levels = self.graph.claimed, self.levels
        upper = [self.goal.runs] * len(levels)
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
        """Moves a node to the best level of a window, to the end ``towards`` among equals; whether that gained.

        The node is at the other end of the window.
        """
        here = best = self.levels[node]
        views = [crossing.take(self.levels, node) for crossing in self.touching[node]]
        before = sum([near if here in others else far for others, near, far in views])
        gain = short = 0
        for level in _candidates(views, towards):
            if level == here or not low <= level <= high:
                continue
            lacking = self._lacking_more(node, here, level) if self.goal.least else 0
            nbytes = sum([near if level in others else far for others, near, far in views]) - before
            if lacking is None or (lacking, nbytes) > (short, gain):
                continue
            if (lacking, nbytes) < (short, gain) or abs(level - here) > abs(best - here):
                best, gain, short = level, nbytes, lacking
        self._put(node, best)
        return (short, gain) < (0, 0)

    def _put(self, node: int, level: int) -> None:
        for crossing in self.touching[node]:
            crossing.put(level)
        weight = self.goal.weights[node]
        self.sizes[self.levels[node]] -= weight
        self.sizes[level] += weight
        self.levels[node] = level

    def _lacking_more(self, node: int, here: int, to: int) -> int | None:
        """The additional kernels that too small runs would lack; None where a move only puts more kernels into them."""
        goal, weight, old, new = self.goal, self.goal.weights[node], self.sizes[here], self.sizes[to]
        short = goal.shortage(old - weight, new + weight) - goal.shortage(old, new)
        lost = goal.lost((old - weight, new + weight)) - goal.lost((old, new))
        return None if short >= 0 and lost > 0 else short


def _candidates(views: Sequence[CrossingView], towards: int) -> set[int]:
    """The levels that are worth trying: the levels of a tensor's other ends, where they are few."""
    found = {towards}
    for others, _, _ in views:
        if len(others) <= FEW:
            found.update(others)
    return found
