"""Random graphs with times, and what placements of them cost, written down without the code under test."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from lite_delegate.partition import PartitionGraph, PartitionTensor
from lite_delegate.partition.placement import PlacementTimes

Timed = tuple[PartitionGraph, PlacementTimes]


@st.composite
def timed_graphs(draw: st.DrawFn, most: int = 8, *, launch: int = 12, missing: bool = True) -> Timed:
    """A graph of up to ``most`` nodes with whole microseconds, so that sums are exact."""
    n = draw(st.integers(0, most))
    makers: list[int | None] = [None, None, *range(n)]
    tensors = []
    before: list[set[int]] = [set() for _ in range(n)]
    for maker in makers:
        first = 0 if maker is None else maker + 1
        readers = sorted(draw(st.sets(st.integers(first, n - 1), max_size=3))) if first < n else []
        for reader in readers:
            before[reader] |= set() if maker is None else {maker}
        tensors.append(PartitionTensor(maker, tuple(readers), 1, draw(st.booleans())))
    claimed = tuple(draw(st.integers(0, 4)) > 0 for _ in range(n))
    host = st.integers(0, 20).map(float)
    or_none = st.one_of(host, host, host, host, st.just(math.inf)) if missing else host
    times = PlacementTimes(
        tuple(draw(or_none if each else host) for each in claimed),
        tuple(float(draw(st.integers(0, 12))) for _ in range(n)),
        tuple(float(draw(st.integers(0, 8))) for _ in tensors),
        float(draw(st.integers(0, launch))),
    )
    return PartitionGraph(tuple(tuple(sorted(b)) for b in before), claimed, tuple(tensors)), times


def sum_with_transfers_once(graph: PartitionGraph, times: PlacementTimes, there: tuple[bool, ...]) -> float:
    """Kernels and transfers when starts are free: a tensor crosses once if anybody on the other side needs it."""
    total = 0.0
    for node, on_device in enumerate(there):
        if on_device:
            total += times.device_us[node] if graph.claimed[node] else math.inf
        else:
            total += times.host_us[node]
    for tensor, us in zip(graph.tensors, times.transfer_us, strict=True):
        made_there = tensor.producer is not None and there[tensor.producer]
        needed_there = any(there[node] for node in tensor.consumers)
        needed_here = tensor.is_output or any(not there[node] for node in tensor.consumers)
        total += us * ((made_there and needed_here) or (not made_there and needed_there))
    return total


def sum_of_subgraphs(times: PlacementTimes, graph: PartitionGraph, subgraphs: list[tuple[int, ...]]) -> float:
    """Kernels, transfers and starts when each of these subgraphs takes all from the host and gives all to it."""
    inside = {node for subgraph in subgraphs for node in subgraph}
    total = sum(us for node, us in enumerate(times.host_us) if node not in inside)
    for subgraph in subgraphs:
        total += times.launch_us + sum(times.device_us[node] for node in subgraph)
        for tensor, us in zip(graph.tensors, times.transfer_us, strict=True):
            made_in = tensor.producer in subgraph
            reads = any(node in subgraph for node in tensor.consumers)
            elsewhere = tensor.is_output or any(node not in subgraph for node in tensor.consumers)
            total += us * ((reads and not made_in) or (made_in and elsewhere))
    return total
