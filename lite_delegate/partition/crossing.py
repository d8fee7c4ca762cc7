"""Bytes that cross the boundaries of subgraphs, and how they change when a node moves to another run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise

import numpy as np

from .graph import PartitionGraph


def boundary_bytes(graph: PartitionGraph, order: Sequence[int], runs: Sequence[range]) -> int:
    """Bytes that cross: for each run its inputs from outside, each tensor once, and its results for outside."""
    run_of = [-1] * len(graph)
    for number, run in enumerate(runs):
        for position in run:
            run_of[order[position]] = number
    total, home_of = 0, run_of.__getitem__
    for tensor in graph.tensors:
        made_in = -1 if tensor.producer is None else run_of[tensor.producer]
        read_in = set(map(home_of, tensor.consumers))
        read_in.discard(made_in)
        leaves = made_in >= 0 and (tensor.is_output or bool(read_in))
        total += tensor.nbytes * (len(read_in) - (-1 in read_in) + leaves)
    return total


class Crossing:
    """A tensor that claimed nodes may take across a boundary.

    Attributes:
        producer: the claimed node that makes it, -1 for none.
        readers: the claimed nodes that read it.
        nbytes: its size.
        leaves: whether a node outside all runs, or the graph's caller, needs it.
    """

    __slots__ = ("leaves", "nbytes", "producer", "readers")

    def __init__(self, producer: int, readers: tuple[int, ...], nbytes: int, leaves: bool) -> None:
        self.producer, self.readers, self.nbytes, self.leaves = producer, readers, nbytes, leaves

    def cost(self, levels: Sequence[int]) -> int:
        """The bytes of its crossings. Nodes of level 0 count as absent, with all their tensors."""
        others = {levels[reader] for reader in self.readers}
        count = len(others) - (0 in others)
        if self.producer < 0:
            return self.nbytes * count
        home = levels[self.producer]
        if home == 0:
            return 0
        count -= home in others
        return self.nbytes * (count + (count > 0 or self.leaves))


class Crossings:
    """The tensors that free claimed nodes read or make, as columns; the bytes of all other tensors never change.

    Args:
        graph: the nodes and tensors; some nodes are free.
        is_free: for each node, whether it may move.

    Attributes:
        producers, nbytes, leaves: as of ``Crossing``.
        readers: the readers of all crossings, one crossing after the other.
        read: the number of the crossing that each reader reads.
    """

    def __init__(self, graph: PartitionGraph, is_free: Sequence[bool]) -> None:
        tensors = graph.tensors  # column by column: an object for each tensor would cost more than all of this
        makers = np.array([-1 if t.producer is None else t.producer for t in tensors], np.int64)
        consumers = np.fromiter(chain.from_iterable([t.consumers for t in tensors]), np.int64)
        consumed = np.repeat(np.arange(len(tensors)), [len(t.consumers) for t in tensors])
        nbytes, leaves = np.array([t.nbytes for t in tensors], np.int64), np.array([t.is_output for t in tensors], bool)
        claimed, free = np.array(graph.claimed, bool), np.array(is_free, bool)
        is_claimed = claimed[consumers]
        leaves[consumed[~is_claimed]] = True
        moves = (makers >= 0) & free[makers]
        moves[consumed[free[consumers]]] = True
        kept = moves & (nbytes > 0)
        number, chosen = np.cumsum(kept) - 1, is_claimed & kept[consumed]
        self.producers = np.where((makers >= 0) & claimed[makers], makers, -1)[kept]
        self.nbytes, self.leaves = nbytes[kept], leaves[kept]
        self.readers, self.read = consumers[chosen], number[consumed[chosen]]

    def __len__(self) -> int:
        return len(self.nbytes)

    def each(self) -> list[Crossing]:
        """The crossings one by one."""
        bounds = np.searchsorted(self.read, np.arange(len(self) + 1)).tolist()
        readers = [tuple(self.readers[start:stop].tolist()) for start, stop in pairwise(bounds)]
        return list(map(Crossing, self.producers.tolist(), readers, self.nbytes.tolist(), self.leaves.tolist()))

    def cost(self, levels: Sequence[int]) -> int:
        """The sum of ``Crossing.cost``; no node is at level 0."""
        level_of = np.asarray(levels, dtype=np.int64)
        homes = np.where(self.producers >= 0, level_of[self.producers], -1)
        read_at, width = level_of[self.readers], int(level_of.max(initial=0)) + 1
        is_other = read_at != homes[self.read]
        places = np.sort(self.read[is_other] * width + read_at[is_other])
        is_first = np.diff(places, prepend=-1) != 0
        others = np.bincount(places[is_first] // width, minlength=len(self))
        leaves = (homes >= 0) & ((others > 0) | self.leaves)
        return int((self.nbytes * (others + leaves)).sum())
