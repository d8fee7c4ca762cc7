"""Bytes that cross the boundaries of subgraphs, and how they change when a node moves to another run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

from .graph import PartitionGraph, PartitionTensor

FEW = 8
"""Tensors with more readers keep a tally, so that a move costs the same however many there are."""


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


class Crossing(Protocol):
    """A tensor that some claimed node may take across a boundary.

    Attributes:
        producer: the claimed node that makes it, -1 for none.
        readers: the claimed nodes that read it.
        nbytes: its size.
        leaves: whether something that is in no run needs it.
    """

    producer: int
    readers: tuple[int, ...]
    nbytes: int
    leaves: bool

    def cost(self, levels: Sequence[int]) -> int:
        """Bytes that cross because of it. Nodes of level 0 count as absent, with all that they read or make."""
        ...

    def change(self, levels: list[int], node: int, to: int) -> int:
        """Bytes more, or less, that cross if ``node`` moved."""
        ...

    def near(self, levels: Sequence[int]) -> Iterable[int]:
        """Levels that are worth trying for its nodes."""
        ...

    def moved(self, levels: Sequence[int], node: int, to: int) -> None:
        """Told before ``node`` moves."""
        ...


class PlainCrossing:
    """A crossing with few readers, looked at one by one. Attributes and methods as in ``Crossing``."""

    __slots__ = ("leaves", "nbytes", "producer", "readers")

    def __init__(self, producer: int, readers: tuple[int, ...], nbytes: int, leaves: bool) -> None:
        self.producer, self.readers, self.nbytes, self.leaves = producer, readers, nbytes, leaves

    def cost(self, levels: Sequence[int]) -> int:
        others = {levels[reader] for reader in self.readers}
        others.discard(0)
        if self.producer < 0:
            return self.nbytes * len(others)
        home = levels[self.producer]
        if home == 0:
            return 0
        others.discard(home)
        return self.nbytes * (len(others) + (1 if others or self.leaves else 0))

    def change(self, levels: list[int], node: int, to: int) -> int:
        before, here = self.cost(levels), levels[node]
        levels[node] = to
        after = self.cost(levels)
        levels[node] = here
        return after - before

    def near(self, levels: Sequence[int]) -> Iterable[int]:
        found = [levels[reader] for reader in self.readers]
        if self.producer >= 0:
            found.append(levels[self.producer])
        return found

    def moved(self, levels: Sequence[int], node: int, to: int) -> None:
        return None


class TalliedCrossing(PlainCrossing):
    """A crossing with many readers, which counts them by level. Attributes and methods as in ``Crossing``."""

    __slots__ = ("_tally",)

    def __init__(self, plain: PlainCrossing, levels: Sequence[int]) -> None:
        super().__init__(plain.producer, plain.readers, plain.nbytes, plain.leaves)
        self._tally = Counter(levels[reader] for reader in self.readers)

    def change(self, levels: list[int], node: int, to: int) -> int:
        here = levels[node]
        home = levels[self.producer] if self.producer >= 0 else -1
        if node == self.producer:
            return self._bytes(len(self._tally) - (to in self._tally)) - self._bytes(
                len(self._tally) - (home in self._tally)
            )
        others = len(self._tally) - (home in self._tally)
        left = self._tally[here] == 1 and here != home
        entered = to not in self._tally and to != home
        return self._bytes(others - left + entered) - self._bytes(others)

    def near(self, levels: Sequence[int]) -> Iterable[int]:
        return (levels[self.producer],) if self.producer >= 0 else ()

    def moved(self, levels: Sequence[int], node: int, to: int) -> None:
        if node == self.producer:
            return
        here = levels[node]
        self._tally[to] += 1
        self._tally[here] -= 1
        if not self._tally[here]:
            del self._tally[here]

    def _bytes(self, others: int) -> int:
        out = self.producer >= 0 and (others > 0 or self.leaves)
        return self.nbytes * (others + out)


def crossings(graph: PartitionGraph, is_free: Sequence[bool]) -> list[PlainCrossing]:
    """The tensors that a claimed node reads or makes which is free to move: the bytes of all others are as they are."""
    found = (_crossing(tensor, graph.claimed) for tensor in graph.tensors if tensor.nbytes)
    return [c for c in found if (c.producer >= 0 and is_free[c.producer]) or any(is_free[r] for r in c.readers)]


def _crossing(tensor: PartitionTensor, claimed: Sequence[bool]) -> PlainCrossing:
    producer = -1 if tensor.producer is None or not claimed[tensor.producer] else tensor.producer
    readers = tuple(r for r in tensor.consumers if claimed[r])
    return PlainCrossing(producer, readers, tensor.nbytes, tensor.is_output or len(readers) < len(tensor.consumers))
