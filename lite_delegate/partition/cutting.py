"""Cutting runs into smaller subgraphs."""

from __future__ import annotations

from collections.abc import Sequence

from .graph import PartitionGraph
from .options import PartitionOptions


def cut(
    graph: PartitionGraph, run: Sequence[int], weights: Sequence[int], options: PartitionOptions
) -> list[list[int]]:
    """The nodes of a run as one or more subgraphs that can run one after another.

    Args:
        graph: the graph that the nodes are of.
        run: claimed nodes in execution order.
        weights: how many kernels each node of the graph stands for, none of them more than a subgraph may have.
        options: ``connected``, ``max_kernels_per_subgraph`` and ``min_kernels``.
    """
    parts = components(graph, run) if options.connected else [list(run)]
    most = options.max_kernels_per_subgraph
    if not most:
        return parts
    pieces = [piece for part in parts for piece in _pieces(part, weights, most, options.min_kernels or 0)]
    return [c for piece in pieces for c in components(graph, piece)] if options.connected else pieces


def components(graph: PartitionGraph, nodes: Sequence[int]) -> list[list[int]]:
    """The parts of a run that no edge connects, in the order of their first nodes, each in the order of the run."""
    parent = {node: node for node in nodes}

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    for node in nodes:
        for p in graph.predecessors[node]:
            if p in parent:
                parent[root(p)] = root(node)
    parts: dict[int, list[int]] = {}
    for node in nodes:
        parts.setdefault(root(node), []).append(node)
    return list(parts.values())


def _pieces(run: Sequence[int], weights: Sequence[int], most: int, least: int) -> list[list[int]]:
    """Pieces as large as allowed; of about the same size, where the last one would be too small."""
    pieces = _filled(run, weights, most)
    if _size(pieces[-1], weights) >= least:
        return pieces
    even = _even(run, weights, len(pieces))
    return even if all(least <= _size(piece, weights) <= most for piece in even) else pieces


def _filled(run: Sequence[int], weights: Sequence[int], most: int) -> list[list[int]]:
    pieces: list[list[int]] = [[]]
    size = 0
    for node in run:
        if pieces[-1] and size + weights[node] > most:
            pieces.append([])
            size = 0
        pieces[-1].append(node)
        size += weights[node]
    return pieces


def _even(run: Sequence[int], weights: Sequence[int], count: int) -> list[list[int]]:
    pieces: list[list[int]] = [[] for _ in range(count)]
    total, before = _size(run, weights), 0
    for node in run:
        pieces[before * count // total].append(node)
        before += weights[node]
    return pieces


def _size(nodes: Sequence[int], weights: Sequence[int]) -> int:
    return sum(weights[node] for node in nodes)
