"""Levels whose runs have a wanted number of kernels, where nodes can wait."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from ..graph import PartitionGraph, successors
from .goal import Goal


def filled_forwards(graph: PartitionGraph, goal: Goal, latest: Sequence[int]) -> list[int]:
    """Levels filled run by run from the first: nodes that cannot wait and then, up to ``goal.least`` kernels, the
    nodes that can wait least.

    Earliest deadline first, in O((V + E) log V).

    Args:
        graph: the graph.
        goal: gives the number of kernels that a run should have.
        latest: for each node the highest level that it can have.
    """
    return _Filling(graph, goal, latest).levels()


def filled_backwards(graph: PartitionGraph, goal: Goal, earliest: Sequence[int]) -> list[int]:
    """The filled levels, run by run from the last; ``earliest`` has the lowest levels that nodes can have."""
    last = len(graph) - 1
    followers = successors(graph)
    mirrored = PartitionGraph(
        tuple(tuple(last - s for s in reversed(followers[last - v])) for v in range(len(graph))), graph.claimed[::-1]
    )
    turned = Goal(goal.weights[::-1], mirrored.claimed, goal.runs, goal.least)
    deadlines = [goal.runs + graph.claimed[v] - earliest[v] for v in range(last, -1, -1)]
    levels = filled_forwards(mirrored, turned, deadlines)
    return [goal.runs + graph.claimed[v] - levels[last - v] for v in range(len(graph))]


class _Filling:
    """Nodes become ready once all before them are done; claimed ones then wait in a heap, rejected ones do not."""

    def __init__(self, graph: PartitionGraph, goal: Goal, latest: Sequence[int]) -> None:
        self.graph, self.goal, self.latest = graph, goal, latest
        self.followers = successors(graph)
        self.waits_for = [len(set(before)) for before in graph.predecessors]
        self.found = [0] * len(graph)
        self.claimed: list[tuple[int, int]] = []
        self.rejected: list[int] = []
        for node, count in enumerate(self.waits_for):
            if not count:
                self._ready(node)

    def levels(self) -> list[int]:
        """The levels of all nodes."""
        for run in range(self.goal.runs + 1):
            if run:
                self._fill(run)
            while self.rejected:
                self._finish(self.rejected.pop(), run)
        return self.found

    def _fill(self, run: int) -> None:
        size = 0
        while self.claimed and (self.claimed[0][0] <= run or size < self.goal.least):
            _, node = heappop(self.claimed)
            size += self.goal.weights[node]
            self._finish(node, run)

    def _ready(self, node: int) -> None:
        if self.graph.claimed[node]:
            heappush(self.claimed, (self.latest[node], node))
        else:
            self.rejected.append(node)

    def _finish(self, node: int, run: int) -> None:
        self.found[node] = run
        for follower in self.followers[node]:
            self.waits_for[follower] -= 1
            if not self.waits_for[follower]:
                self._ready(follower)
