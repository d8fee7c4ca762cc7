"""What-if: partitions of the graphs as if a delegate claimed the nodes that it rejects."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...basics.data_class import dataclass
from ..graph import PartitionGraph
from ..options import PartitionOptions
from .asked import AskedGraph
from .best_sets import best_sets
from .cases import Case, cases_by_cause, cases_by_node, rejections, waiting_for_shapes
from .trials import Difference, Trials

MOST_NODES = 64
"""Single nodes that are tried."""
NODE_WORK = 100_000
"""Fewer single nodes are tried in large models: as many times the nodes of the model as make this."""
MOST_TOGETHER = 3
"""Things in a set, where the user does not say."""


@dataclass(frozen=True, slots=True)
class Found:
    """The result of supposing that delegates take nodes which they reject.

    Attributes:
        differences: one for each case, the most rewarding first.
        waiting: names of nodes on the CPU that known shapes alone would change; they are in no case.
    """

    differences: tuple[Difference, ...]
    waiting: tuple[str, ...] = ()


def what_if(
    asked: Sequence[AskedGraph], options: PartitionOptions, path: Collection[str] = (), most: int = MOST_TOGETHER
) -> Found:
    """The partitions supposing that a delegate takes nodes which it rejects: by rule, operator, element type, node, and
    sets.

    Each graph with such nodes is partitioned again, with the same options and answers otherwise.

    Args:
        asked: the graphs of a model.
        options: the user's partition options.
        path: names of nodes that are tried one by one: the nodes that force the number of subgraphs.
        most: the most rules, operators and element types in a set; below 2 for no sets.
    """
    trials = Trials(asked, options)
    found = rejections(asked)
    causes = sorted(map(trials.difference, cases_by_cause(found, trials.taken)), key=_rank)
    nodes = map(trials.difference, _chosen(asked, list(cases_by_node(found, trials.taken, path)), trials.taken))
    sets = best_sets(trials, causes, most)
    differences = sorted([*sets, *causes, *nodes], key=_rank)
    return Found(tuple(differences), waiting_for_shapes(asked, trials.taken))


def _rank(difference: Difference) -> tuple[float, ...]:
    return difference.rank


def _chosen(asked: Sequence[AskedGraph], cases: Sequence[Case], taken: Sequence[Collection[int]]) -> Sequence[Case]:
    """The single nodes to try; nodes between delegated nodes come first, since only they can join two subgraphs."""
    total = max(1, sum(len(each.graph) for each in asked))
    most = min(MOST_NODES, NODE_WORK // total)
    if len(cases) <= most:
        return cases
    between = [_between(each.graph, there) for each, there in zip(asked, taken, strict=True)]
    return sorted(cases, key=lambda case: not any(set(v) <= between[number] for number, v in case.nodes.items()))[:most]


def _between(graph: PartitionGraph, taken: Collection[int]) -> set[int]:
    """The nodes that follow one in a subgraph, and that one in a subgraph follows."""
    behind = {v for v, before in enumerate(graph.predecessors) if any(p in taken for p in before)}
    before = {p for v in taken for p in graph.predecessors[v]}
    return behind & before
