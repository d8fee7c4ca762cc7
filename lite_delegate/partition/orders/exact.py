"""The best levels of small graphs, by branch and bound over all of them."""

from __future__ import annotations

from collections.abc import Sequence

from ..crossing import Crossing, Crossings
from ..graph import PartitionGraph
from .goal import Goal, Score

MAX_STEPS = 20_000
"""The most steps of a search. The search is exact where the widths of the windows multiply to 10,000 or less."""
MAX_FREE = 40
"""The search is not begun where more nodes than this may move."""

LevelWindows = Sequence[tuple[int, int]]


def search(
    graph: PartitionGraph,
    goal: Goal,
    bounds: tuple[Sequence[int], Sequence[int]],
    crossings: Crossings,
    best: Sequence[int],
) -> list[int]:
    """Levels of the claimed nodes that score better than ``best``; ``best`` itself where no levels do.

    The levels of rejected nodes stay as in ``best``: ``settled`` fits them in.

    Args:
        graph: the graph.
        goal: scores levels.
        bounds: for each node its earliest level, and for each node its latest level.
        crossings: the tensors that nodes with a choice read or make.
        best: levels to start from.
    """
    choices = zip(graph.claimed, *bounds, strict=True)
    free = [v for v, (is_claimed, low, high) in enumerate(choices) if is_claimed and low < high]
    if not free or len(free) > MAX_FREE:
        return list(best)
    windows = list(zip(*bounds, strict=True))
    found = _BoundedSearch(graph, goal, windows, crossings.each(), free, best)
    found.descend(0, found.bytes_before)
    return found.best


class _BoundedSearch:
    """Assigns levels to the free claimed nodes in the given order, in which a node's bounds come before the node.

    Level 0 marks nodes without one so far. Bytes only grow while nodes get levels, so a branch with too many is cut.
    """

    def __init__(
        self,
        graph: PartitionGraph,
        goal: Goal,
        windows: LevelWindows,
        crossings: Sequence[Crossing],
        free: Sequence[int],
        best: Sequence[int],
    ) -> None:
        self.goal, self.windows, self.free = goal, windows, free
        self.best, self.levels = list(best), list(best)
        for v in free:
            self.levels[v] = 0
        self.bounds = _direct_bounds(graph, free)
        shrunk = [_shrunk(c, self.levels) for c in crossings]
        self.touching = {v: [c for c in shrunk if v == c.producer or v in c.readers] for v in free}
        self.bytes_before = sum(c.cost(self.levels) for c in shrunk)
        self.best_score: Score = (goal.lost_in(best), sum(c.cost(best) for c in shrunk))
        self.sizes = goal.sizes(self.levels)
        self.sizes[0] = 0
        self.room = list(self.sizes)
        for v in free:
            self._add_room(v, goal.weights[v])
        self.steps = 0

    def descend(self, depth: int, nbytes: int) -> None:
        """Tries all levels for the free nodes from ``depth`` on, where ``nbytes`` cross already."""
        if depth == len(self.free):
            self.best_score, self.best = (self._least_lost(), nbytes), list(self.levels)
            return
        node = self.free[depth]
        weight = self.goal.weights[node]
        low = max((self.levels[p] + step for p, step in self.bounds[node]), default=0)
        self._add_room(node, -weight)
        for level in range(max(low, self.windows[node][0]), self.windows[node][1] + 1):
            self.steps += 1
            if self.steps > MAX_STEPS:
                break
            before = sum(c.cost(self.levels) for c in self.touching[node])
            self._put(node, level, weight)
            more = sum(c.cost(self.levels) for c in self.touching[node]) - before
            if (self._least_lost(), nbytes + more) < self.best_score:
                self.descend(depth + 1, nbytes + more)
            self._put(node, level, -weight)
        self.levels[node] = 0
        self._add_room(node, weight)

    def _put(self, node: int, level: int, weight: int) -> None:
        self.levels[node] = level if weight > 0 else 0
        self.sizes[level] += weight
        self.room[level] += weight

    def _add_room(self, node: int, weight: int) -> None:
        low, high = self.windows[node]
        for level in range(low, high + 1):
            self.room[level] += weight

    def _least_lost(self) -> int:
        """The kernels in runs that stay too small in every completion of the levels."""
        if not self.goal.least:
            return 0
        return sum(size for size, room in zip(self.sizes, self.room, strict=True) if room < self.goal.least)


def _direct_bounds(graph: PartitionGraph, free: Sequence[int]) -> dict[int, list[tuple[int, int]]]:
    """For each free node, the free nodes that bound it and by how much: through an edge, or rejected nodes only."""
    bit = {v: 1 << i for i, v in enumerate(free)}
    through: list[int] = []
    bounds: dict[int, list[tuple[int, int]]] = {}
    for v, before in enumerate(graph.predecessors):
        mask = 0
        for p in before:
            mask |= bit.get(p, 0) if graph.claimed[p] else through[p]
        through.append(0 if graph.claimed[v] else mask)
        if v in bit:
            behind = 0
            for p in before:
                behind |= 0 if graph.claimed[p] else through[p]
            bounds[v] = [(p, 0) for p in before if p in bit] + [(p, 1) for p in free if bit[p] & behind]
    return bounds


def _shrunk(crossing: Crossing, levels: Sequence[int]) -> Crossing:
    """A crossing with one reader for each level at which some readers are fixed."""
    fixed = {levels[r]: r for r in crossing.readers if levels[r]}
    open_ = [r for r in crossing.readers if not levels[r]]
    return Crossing(crossing.producer, (*fixed.values(), *open_), crossing.nbytes, crossing.leaves)
