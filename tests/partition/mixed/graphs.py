"""Random graphs with times on several devices."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from lite_delegate.partition import PartitionGraph, PartitionTensor
from lite_delegate.partition.mixed import MixedTimes
from tests.partition.graphs import graphs

Timed = tuple[PartitionGraph, MixedTimes]


@st.composite
def mixed_graphs(draw: st.DrawFn, most: int = 6, devices: int = 3, *, start: int = 12, missing: bool = True) -> Timed:
    """A graph with whole microseconds, so that sums are exact; one device at least can run each node."""
    graph = draw(graphs(most))
    return graph, draw(mixed_times(len(graph), devices, start=start, missing=missing))


@st.composite
def mixed_times(draw: st.DrawFn, nodes: int, devices: int = 3, *, start: int = 12, missing: bool = True) -> MixedTimes:
    us = st.integers(0, 20).map(float)
    or_none = st.one_of(us, us, us, us, st.just(math.inf)) if missing else us
    rows = []
    for _ in range(nodes):
        row = [draw(or_none) for _ in range(devices)]
        if all(each == math.inf for each in row):
            row[draw(st.integers(0, devices - 1))] = draw(us)
        rows.append(tuple(row))
    starts = (0.0, *(float(draw(st.integers(0, start))) for _ in range(devices - 1)))
    nbytes = (0.0, *(float(draw(st.integers(0, 3))) for _ in range(devices - 1)))
    return MixedTimes(tuple(rows), starts, nbytes)


def chain(nodes: int) -> PartitionGraph:
    """Nodes in a row, the tensor between each two has 2 bytes; the first reads an input, the last gives an output."""
    tensors = [PartitionTensor(None, (0,), 2)] if nodes else []
    tensors += [PartitionTensor(i, (i + 1,) if i + 1 < nodes else (), 2, i + 1 == nodes) for i in range(nodes)]
    return PartitionGraph(tuple((i - 1,) if i else () for i in range(nodes)), (True,) * nodes, tuple(tensors))
