"""The best of all orders with the fewest runs: large enough runs first, then few bytes over their boundaries."""

from __future__ import annotations

from collections.abc import Sequence

from ..crossing import Crossings
from ..graph import PartitionGraph, runs_of
from ..minimum import MinimumRuns
from .goal import Goal, Score
from .levels import latest_levels, levels_of, order_of, settled

MANY = 5_000
"""With more nodes that are free to move, moves start from the best of the starting orders alone."""


def best_order(
    graph: PartitionGraph,
    minimum: MinimumRuns,
    weights: Sequence[int] | None = None,
    least: int = 0,
    hint: Sequence[int] = (),
) -> list[int]:
    """An execution order with ``minimum.runs`` runs, the best order that is found.

    A better order has fewer kernels in runs of less than ``least``, then fewer boundary bytes. The given order stays
    where no better order is found. Otherwise the order is never worse than the earliest and the latest levels. For
    small graphs it is the best of all orders (``exact``).

    Args:
        graph: nodes, claims and tensors.
        minimum: the graph's bound.
        weights: the number of kernels that each node stands for; None for 1 each.
        least: the fewest kernels that a run should have.
        hint: another executable order to start from.
    """
    weights = [1] * len(graph) if weights is None else weights
    given = list(range(len(graph)))
    orders = [o for o in (given, hint) if len(o) == len(graph) and len(runs_of(o, graph.claimed)) == minimum.runs]
    starts: list[Sequence[int]] = [*(levels_of(graph, order) for order in orders), minimum.levels]
    latest = latest_levels(graph, minimum.runs)
    is_free = [c and low < high for c, low, high in zip(graph.claimed, minimum.levels, latest, strict=True)]
    goal = Goal(weights, graph.claimed, minimum.runs, least)
    moving = Crossings(graph, is_free) if any(is_free) else None
    if moving is not None and (len(moving) or least):
        found = _best(graph, goal, [*starts, latest], moving, sum(is_free))
    else:
        found = list(starts[0])
    return next((list(o) for o, levels in zip(orders, starts, strict=False) if found == levels), order_of(graph, found))


def _best(
    graph: PartitionGraph, goal: Goal, starts: Sequence[Sequence[int]], moving: Crossings, free: int
) -> list[int]:
    from .exact import search
    from .fill import filled_backwards, filled_forwards
    from .local import improve

    def scored(levels: Sequence[int]) -> tuple[Score, Sequence[int]]:
        return (goal.lost_in(levels), moving.cost(levels)), levels

    earliest, latest = starts[-2], starts[-1]
    tried = [scored(start) for start in starts]
    if min(tried, key=_score)[0][0]:
        tried += [scored(filled_forwards(graph, goal, latest)), scored(filled_backwards(graph, goal, earliest))]
    tried.sort(key=_score)
    begin = tried[:1] if free > MANY else tried
    improved = [scored(improve(graph, goal, moving, start)) for _, start in begin]
    best = list(min([*tried[:1], *improved], key=_score)[1])
    exact = search(graph, goal, (earliest, latest), moving, best)
    return best if exact == best else settled(graph, exact)


def _score(tried: tuple[Score, Sequence[int]]) -> Score:
    return tried[0]
