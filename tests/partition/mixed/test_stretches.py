"""Stretches: every way to cut a small graph, and what crosses reckoned tensor by tensor."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.partition import PartitionGraph, PartitionTensor
from lite_delegate.partition.mixed import stretches
from tests.partition.graphs import graphs
from tests.partition.mixed.graphs import chain


def crossing(graph: PartitionGraph, places: list[int]) -> int:
    return sum(
        tensor.nbytes
        for place in places
        for tensor in graph.tensors
        if tensor.producer is not None and tensor.producer < place <= max(tensor.consumers, default=-1)
    )


def all_cuts(count: int, most: int, start: int = 0) -> Iterator[list[int]]:
    """The places of all cuts into stretches of more than half of the most; the last may be shorter."""
    if count - start <= most:
        yield []
    for size in range(most // 2 + 1, min(most, count - start - 1) + 1):
        yield from ([start + size, *more] for more in all_cuts(count, most, start + size))


@given(graphs(10), st.integers(1, 10))
@settings(max_examples=200)
def test_the_fewest_bytes_cross(graph: PartitionGraph, most: int) -> None:
    found = stretches(graph, most)
    assert [node for each in found for node in each] == list(range(len(graph)))
    assert all(most // 2 < len(each) <= most for each in found[:-1])
    assert all(1 <= len(each) <= most for each in found)
    places = [each.stop for each in found[:-1]]
    assert crossing(graph, places) == min(crossing(graph, cuts) for cuts in all_cuts(len(graph), most))


def test_it_is_cut_where_little_crosses() -> None:
    plain = chain(6)
    tensors = tuple(PartitionTensor(t.producer, t.consumers, 1 if t.producer == 2 else 9) for t in plain.tensors)
    assert stretches(PartitionGraph(plain.predecessors, plain.claimed, tensors), 4) == [range(3), range(3, 6)]
