"""Bytes that cross the boundaries of subgraphs, and how they change when a node moves to another run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import TypeAlias

import numpy as np

from .graph import PartitionGraph, PartitionTensor

FEW = 8
"""Tensors with more ends keep a tally, so that a move costs the same for any number of ends."""

CrossingView: TypeAlias = tuple[Collection[int], int, int]
"""A tensor seen from one of its ends: the levels of the others, the bytes that cross where the end is at one of these,
and the bytes that cross where it is not."""


def boundary_bytes(graph: PartitionGraph, order: Sequence[int], runs: Sequence[range]) -> int:
    """Bytes that cross: for each run its inputs from outside, each tensor once, and its results for outside."""
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


class Crossing:
    """A tensor that claimed nodes may take across a boundary.

    Attributes:
        producer: the claimed node that makes it, -1 for none.
        readers: the claimed nodes that read it.
        ends: the readers, and the producer if there is one.
        nbytes: its size.
        leaves: whether a node outside all runs, or the graph's caller, needs it.
    """

    __slots__ = ("ends", "leaves", "nbytes", "producer", "readers")

    def __init__(self, producer: int, readers: tuple[int, ...], nbytes: int, leaves: bool) -> None:
        self.producer, self.readers, self.nbytes, self.leaves = producer, readers, nbytes, leaves
        self.ends = readers if producer < 0 else (*readers, producer)

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

    def take(self, levels: Sequence[int], node: int) -> CrossingView:
        """The cost wherever one of its ends goes; ``put`` follows."""
        return self._view({levels[end] for end in self.ends if end != node})

    def put(self, level: int) -> None:
        """Where the end goes that was taken."""
        return None

    def _view(self, others: Collection[int]) -> CrossingView:
        if self.producer < 0:
            return others, self.nbytes * len(others), self.nbytes * (len(others) + 1)
        away = len(others) - 1  # where the node joins other readers: levels that are not the producer's
        joined = away + (away > 0 or self.leaves)
        return others, self.nbytes * joined, self.nbytes * (away + 1 + (away >= 0 or self.leaves))


class TalliedCrossing(Crossing):
    """A crossing with many ends, which counts them by level."""

    __slots__ = ("_tally",)

    def __init__(self, plain: Crossing, levels: Sequence[int]) -> None:
        super().__init__(plain.producer, plain.readers, plain.nbytes, plain.leaves)
        self._tally = Counter(levels[end] for end in self.ends)

    def take(self, levels: Sequence[int], node: int) -> CrossingView:
        here = levels[node]
        self._tally[here] -= 1
        if not self._tally[here]:
            del self._tally[here]
        return self._view(self._tally)

    def put(self, level: int) -> None:
        self._tally[level] += 1


def crossings(graph: PartitionGraph, is_free: Sequence[bool]) -> list[Crossing]:
    """The tensors that free claimed nodes read or make; the bytes of all other tensors never change."""
    found: list[Crossing] = []
    for tensor in graph.tensors:
        is_moving = tensor.producer is not None and is_free[tensor.producer]
        if tensor.nbytes and (is_moving or any(is_free[reader] for reader in tensor.consumers)):
            found.append(_crossing(tensor, graph.claimed))
    return found


def _crossing(tensor: PartitionTensor, claimed: Sequence[bool]) -> Crossing:
    producer = -1 if tensor.producer is None or not claimed[tensor.producer] else tensor.producer
    readers = tuple([r for r in tensor.consumers if claimed[r]])
    return Crossing(producer, readers, tensor.nbytes, tensor.is_output or len(readers) < len(tensor.consumers))


class TotalCost:
    """The sum of ``Crossing.cost`` over many crossings.

    Args:
        crossings: the tensors.
        runs: the highest level.
    """

    def __init__(self, crossings: Sequence[Crossing], runs: int) -> None:
        self._width = runs + 2
        self._producers = np.array([c.producer for c in crossings], dtype=np.int64)
        self._nbytes = np.array([c.nbytes for c in crossings], dtype=np.int64)
        self._leaves = np.array([c.leaves for c in crossings], dtype=bool)
        self._readers = np.array([reader for c in crossings for reader in c.readers], dtype=np.int64)
        self._read = np.repeat(np.arange(len(crossings)), [len(c.readers) for c in crossings])

    def __call__(self, levels: Sequence[int]) -> int:
        """The bytes that cross; no node is at level 0."""
        level_of = np.asarray(levels, dtype=np.int64)
        homes = np.where(self._producers >= 0, level_of[self._producers], -1)
        read_at = level_of[self._readers]
        is_other = read_at != homes[self._read]
        places = np.unique(self._read[is_other] * self._width + read_at[is_other])
        others = np.bincount(places // self._width, minlength=len(homes))
        leaves = (homes >= 0) & ((others > 0) | self._leaves)
        return int((self._nbytes * (others + leaves)).sum())
