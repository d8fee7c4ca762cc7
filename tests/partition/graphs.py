"""Random graphs for the partitioner's tests, and every order of a small one, by plain search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis import strategies as st

from lite_delegate.partition import PartitionGraph, PartitionTensor


@st.composite
def graphs(draw: st.DrawFn, most: int = 40) -> PartitionGraph:
    """Nodes with up to three predecessors each, names, types, and tensors along most edges."""
    n = draw(st.integers(0, most))
    before = [tuple(sorted(draw(st.sets(st.integers(0, v - 1), max_size=3)))) if v else () for v in range(n)]
    claimed = draw(st.lists(st.sampled_from([True, True, False]), min_size=n, max_size=n))
    tensors = [_made(draw, v, [w for w in range(n) if v in before[w]]) for v in range(n)]
    for _ in range(draw(st.integers(0, 2)) if n else 0):
        readers = draw(st.sets(st.integers(0, n - 1), min_size=1))
        tensors.append(PartitionTensor(None, tuple(sorted(readers)), draw(st.integers(0, 9))))
    types = draw(st.lists(st.sampled_from("ABC"), min_size=n, max_size=n))
    names = tuple(f"n{v}" for v in range(n))
    return PartitionGraph(tuple(before), tuple(claimed), tuple(tensors), names, tuple(types))


def _made(draw: st.DrawFn, node: int, followers: Sequence[int]) -> PartitionTensor:
    readers = tuple(w for w in followers if draw(st.integers(0, 9)))
    return PartitionTensor(
        node, readers, draw(st.sampled_from([0, 1, 1, 2, 5, 10])), not readers or draw(st.booleans())
    )


def all_orders(graph: PartitionGraph) -> Iterator[list[int]]:
    """Every order in which nodes come after their predecessors."""

    def extend(order: list[int]) -> Iterator[list[int]]:
        if len(order) == len(graph):
            yield list(order)
            return
        for node in range(len(graph)):
            if node not in order and all(p in order for p in graph.predecessors[node]):
                order.append(node)
                yield from extend(order)
                order.pop()

    yield from extend([])


def runs_in(graph: PartitionGraph, order: Sequence[int]) -> list[list[int]]:
    """The claimed nodes of an order in stretches."""
    runs: list[list[int]] = []
    for i, node in enumerate(order):
        if graph.claimed[node]:
            if i == 0 or not graph.claimed[order[i - 1]]:
                runs.append([])
            runs[-1].append(node)
    return runs


def bytes_of(graph: PartitionGraph, runs: Sequence[Sequence[int]]) -> int:
    """Bytes over the boundaries of runs, run by run: what it reads and does not make, what it makes and others need."""
    total = 0
    for run in runs:
        for tensor in graph.tensors:
            is_made, is_read = tensor.producer in run, any(v in run for v in tensor.consumers)
            is_needed = tensor.is_output or any(v not in run for v in tensor.consumers)
            total += tensor.nbytes * ((is_read and not is_made) + (is_made and is_needed))
    return total


def best_scores(graph: PartitionGraph, least: int) -> tuple[int, tuple[int, int]]:
    """Over every order: the fewest runs; and with these, the fewest nodes in runs that are too small, then bytes."""
    found = []
    for order in all_orders(graph):
        runs = runs_in(graph, order)
        lost = sum(len(run) for run in runs if len(run) < least)
        found.append((len(runs), lost, bytes_of(graph, runs)))
    count, lost, nbytes = min(found)
    return count, (lost, nbytes)


def is_executable(graph: PartitionGraph, order: Sequence[int]) -> bool:
    """Whether an order has each node once, after its predecessors."""
    position = {node: i for i, node in enumerate(order)}
    return sorted(order) == list(range(len(graph))) and all(
        position[p] < position[v] for v in range(len(graph)) for p in graph.predecessors[v]
    )
