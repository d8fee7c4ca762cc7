"""Stretches of a graph, cut where few bytes cross."""

from __future__ import annotations

from ..graph import PartitionGraph


def crossing_bytes(graph: PartitionGraph) -> list[int]:
    """For each place in the order, from before the first node to behind the last, the bytes that are made and awaited.

    Inputs of the graph do not count, and outputs only where nodes read them.
    """
    changes = [0] * (len(graph) + 2)
    for tensor in graph.tensors:
        if tensor.producer is not None and tensor.consumers:
            changes[tensor.producer + 1] += tensor.nbytes
            changes[max(tensor.consumers) + 1] -= tensor.nbytes
    found, total = [], 0
    for change in changes[: len(graph) + 1]:
        total += change
        found.append(total)
    return found


def stretches(graph: PartitionGraph, most: int) -> list[range]:
    """The graph in stretches of its order, such that together the fewest bytes cross between them.

    Each stretch except the last has more than half of ``most`` nodes, so that no two stretches fit into one.

    Args:
        graph: nodes in an executable order.
        most: the most nodes of a stretch, at least 1.
    """
    count, least = len(graph), most // 2 + 1
    crossing = crossing_bytes(graph)
    best: list[tuple[int, int]] = [(0, 0)]
    for end in range(1, count + 1):
        shortest = 1 if end == count else least
        starts = [start for start in range(max(0, end - most), end - shortest + 1) if best[start][1] >= 0]
        cost, start = min(((best[s][0] + crossing[s], -s) for s in starts), default=(0, 1))
        best.append((cost, -start))
    found: list[range] = []
    end = count
    while end:
        start = best[end][1]
        found.append(range(start, end))
        end = start
    return found[::-1]
