"""Levels: the run of each claimed node, and the position of each rejected node between runs.

An order with K runs gives each claimed node a level of 1 to K, the number of its run, and each rejected node a level of
0 to K, the number of runs before it. An edge from p to v asks for ``level[v] >= level[p] + step``, where the step is 1
if v is claimed and p is not, and 0 otherwise; and any levels that meet these conditions come from an order. So the
orders with the fewest runs are the levels between the earliest, which ``MinimumRuns`` has, and the latest.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..graph import PartitionGraph


def latest_levels(graph: PartitionGraph, runs: int) -> list[int]:
    """For each node the highest level that any order with ``runs`` runs can give it, in O(V + E)."""
    claimed = graph.claimed
    levels = [runs] * len(graph)
    for node in range(len(graph) - 1, -1, -1):
        level, is_claimed = levels[node], claimed[node]
        for p in graph.predecessors[node]:
            bound = level - (is_claimed and not claimed[p])
            if bound < levels[p]:
                levels[p] = bound
    return levels


def levels_of(graph: PartitionGraph, order: Sequence[int]) -> list[int]:
    """The levels that an order gives its nodes."""
    levels = [0] * len(graph)
    level, was_claimed = 0, False
    for node in order:
        is_claimed = graph.claimed[node]
        if is_claimed and not was_claimed:
            level += 1
        was_claimed = is_claimed
        levels[node] = level
    return levels


def order_of(graph: PartitionGraph, levels: Sequence[int]) -> list[int]:
    """The order that levels stand for: rejected nodes of a level after its claimed ones, ties in the given order."""
    claimed = graph.claimed
    keys = [2 * level - claimed[node] for node, level in enumerate(levels)]
    return sorted(range(len(keys)), key=keys.__getitem__)


def settled(graph: PartitionGraph, levels: Sequence[int]) -> list[int]:
    """The levels of claimed nodes as given, and the lowest possible level for each rejected node."""
    found = list(levels)
    for node, before in enumerate(graph.predecessors):
        if not graph.claimed[node]:
            found[node] = max((found[p] for p in before), default=0)
    return found
