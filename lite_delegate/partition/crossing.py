"""Bytes that cross the boundaries of subgraphs."""

from __future__ import annotations

from collections.abc import Sequence

from .graph import PartitionGraph


def boundary_bytes(graph: PartitionGraph, order: Sequence[int], runs: Sequence[range]) -> int:
    """Bytes that cross: for each run what it reads from outside, each tensor once, and what it makes for outside."""
    run_of = [-1] * len(graph)
    for number, run in enumerate(runs):
        for position in run:
            run_of[order[position]] = number
    total = 0
    for tensor in graph.tensors:
        made_in = -1 if tensor.producer is None else run_of[tensor.producer]
        read_in = {run_of[consumer] for consumer in tensor.consumers}
        if made_in >= 0 and (tensor.is_output or read_in - {made_in}):
            total += tensor.nbytes
        total += tensor.nbytes * len(read_in - {-1, made_in})
    return total
