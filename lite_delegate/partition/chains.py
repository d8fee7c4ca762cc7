"""Chains around quantized operators: an operator with the casts to and from quantized types around it."""

from __future__ import annotations

from .graph import PartitionGraph, successors

CAST = "QuantDTypeCast"
"""The operator type of casts between quantized and real numbers."""


def quantize_chains(graph: PartitionGraph) -> tuple[frozenset[str], ...]:
    """Groups for ``PartitionOptions.groups``: each claimed operator with its own claimed casts.

    A cast belongs to the operator that reads it, if that is its only reader; otherwise to the operator in front of it,
    if the cast is that operator's only reader. So no cast is in two groups, and no group has two operators.

    Args:
        graph: a graph with names and operator types.

    Returns:
        Groups of two or more names, in the order of their operators.
    """
    followers = successors(graph)
    is_cast = [kind == CAST for kind in graph.types]
    owner: dict[int, int] = {}
    for node in range(len(graph)):
        if not (is_cast[node] and graph.claimed[node]):
            continue
        before, after = graph.predecessors[node], followers[node]
        if len(after) == 1 and _is_operator(graph, is_cast, after[0]):
            owner[node] = after[0]
        elif len(before) == 1 and followers[before[0]] == [node] and _is_operator(graph, is_cast, before[0]):
            owner[node] = before[0]
    groups: dict[int, set[str]] = {}
    for cast, operator in owner.items():
        groups.setdefault(operator, {graph.names[operator]}).add(graph.names[cast])
    return tuple(frozenset(groups[operator]) for operator in sorted(groups))


def _is_operator(graph: PartitionGraph, is_cast: list[bool], node: int) -> bool:
    return graph.claimed[node] and not is_cast[node]
