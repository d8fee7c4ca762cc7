"""The fewest runs that any execution order can have, with a path through the graph that proves it.

Two claimed stretches of one dependency path with a rejected node between them can be in one run of no order,
so an order has at least as many runs as the path with the most claimed stretches has. Giving each node the
number of claimed stretches on the best path that ends at it ("level"), and running level by level, rejected
nodes first, reaches that bound (alternating Kahn sorting; typed loop fusion with two types).
"""

from __future__ import annotations

from itertools import compress

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from .graph import PartitionGraph, runs_of


@dataclass(frozen=True, slots=True)
class MinimumRuns(Brief):
    """The lower bound on the number of runs.

    Attributes:
        runs: no order has fewer runs than this; 0 when nothing is claimed.
        path: a dependency path with that many claimed stretches, from its first claimed node to its last.
        levels: for each node, the most claimed stretches on a path that ends at it.
    """

    runs: int
    path: tuple[int, ...]
    levels: tuple[int, ...]


def minimum_runs(graph: PartitionGraph) -> MinimumRuns:
    """The bound, in O(V + E)."""
    claimed = graph.claimed
    levels: list[int] = []
    best_predecessor: list[int] = []
    for node, before in enumerate(graph.predecessors):
        is_claimed = claimed[node]
        level, chosen = int(is_claimed), -1
        for p in before:
            through = levels[p] + (is_claimed and not claimed[p])
            if through > level or (through == level and chosen < 0):
                level, chosen = through, p
        levels.append(level)
        best_predecessor.append(chosen)
    runs = max(compress(levels, claimed), default=0)
    return MinimumRuns(runs, _path(graph, levels, best_predecessor, runs), tuple(levels))


def _path(graph: PartitionGraph, levels: list[int], best_predecessor: list[int], runs: int) -> tuple[int, ...]:
    if runs == 0:
        return ()
    node = next(v for v in range(len(graph)) if graph.claimed[v] and levels[v] == runs)
    path: list[int] = []
    while node >= 0 and levels[node] > 0:
        path.append(node)
        node = best_predecessor[node]
    while not graph.claimed[path[-1]]:
        path.pop()
    return tuple(reversed(path))


def order_with_fewest_runs(graph: PartitionGraph, minimum: MinimumRuns) -> list[int]:
    """An execution order whose number of runs is ``minimum.runs``.

    The given order (0, 1, 2, ...) is returned unchanged when it has no more runs than that. Otherwise nodes
    are sorted by level, rejected ones of a level after its claimed ones, ties in the given order.
    """
    given = list(range(len(graph)))
    if len(runs_of(given, graph.claimed)) == minimum.runs:
        return given
    return sorted(given, key=lambda v: (2 * minimum.levels[v] - graph.claimed[v], v))
