"""Turns: delegates take their parts of one graph, one after the other, by recorded answers; nothing is built."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

from ...basics.data_class import dataclass
from ..crossing import boundary_bytes
from ..graph import PartitionGraph, PartitionTensor
from ..options import PartitionOptions
from ..placement import Gain, PlacementTimes, subgraph_costs
from ..planner import partition
from .asked import Answers, AskedGraph

Claims: TypeAlias = Mapping[str, Collection[int]]
"""Nodes by the delegate's name."""
NOTHING: Claims = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class TakenParts:
    """The parts that all delegates took of a graph.

    Attributes:
        subgraphs: the name of the delegate and the nodes of each subgraph, delegate by delegate, in execution order.
        boundary_bytes: the bytes that cross their boundaries.
        time_us: the estimated time of the graph, one node after the other; None without times.
    """

    subgraphs: tuple[tuple[str, tuple[int, ...]], ...]
    boundary_bytes: int
    time_us: float | None

    @property
    def kernels(self) -> int:
        """Nodes in subgraphs."""
        return sum(len(nodes) for _, nodes in self.subgraphs)


def take_turns(asked: AskedGraph, options: PartitionOptions, more: Claims = NOTHING) -> TakenParts:
    """The parts that the delegates take in turn, each from the nodes that earlier delegates left, in the fewest
    subgraphs.

    Args:
        asked: the graph and the delegates' answers.
        options: the user's partition options.
        more: nodes that delegates are supposed to claim besides.
    """
    answers = [each.supposing(more.get(each.delegate, ())) for each in asked.answers]
    state = _State(asked.graph)
    for each in answers:
        state.turn(each, options)
    order = [node for _, nodes in state.taken for node in nodes]
    runs = _ranges([len(nodes) for _, nodes in state.taken])
    return TakenParts(
        tuple(state.taken),
        boundary_bytes(asked.graph, order, runs),
        _time_us(asked.graph, answers, state.taken, order, runs),
    )


class _State:
    """A graph of which some nodes are in subgraphs.

    ``units`` are the subgraphs so far and the other nodes, one by one, in execution order.
    """

    def __init__(self, graph: PartitionGraph) -> None:
        self.graph = graph
        self.units: list[tuple[int, ...]] = [(v,) for v in range(len(graph))]
        self.taken: list[tuple[str, tuple[int, ...]]] = []

    def turn(self, answers: Answers, options: PartitionOptions) -> None:
        """Lets a delegate take its part of the remaining nodes."""
        gone = {node for _, nodes in self.taken for node in nodes}
        claimed = [len(u) == 1 and u[0] in answers.claimed and u[0] not in gone for u in self.units]
        if not any(claimed):
            return
        graph, times = self._left(answers.times)
        graph = graph.with_claims(claimed)
        if times is None:
            found = partition(graph, options)
        else:
            gain = Gain(graph, times)
            found = partition(graph, options, place=gain, worth=gain.worth)
        new = [tuple(self.units[i][0] for i in nodes) for nodes in found.subgraphs]
        self.taken += [(answers.delegate, nodes) for nodes in new]
        starts = {run.start: nodes for run, nodes in zip(found.runs, new, strict=True)}
        inside = {position for run in found.runs for position in run}
        self.units = [
            starts.get(position, self.units[i])
            for position, i in enumerate(found.order)
            if position in starts or position not in inside
        ]

    def _left(self, times: PlacementTimes | None) -> tuple[PartitionGraph, PlacementTimes | None]:
        """The graph with the units as nodes, and the times of these; subgraphs take none, they stay where they are."""
        if not self.taken:
            return self.graph, times
        whole = self.graph
        of = [0] * len(whole)
        for i, unit in enumerate(self.units):
            for node in unit:
                of[node] = i
        before = tuple(
            tuple(sorted({of[p] for node in unit for p in whole.predecessors[node]} - {i}))
            for i, unit in enumerate(self.units)
        )
        tensors = [_merged(tensor, of) for tensor in whole.tensors]
        kept = [i for i, tensor in enumerate(tensors) if tensor.consumers or tensor.is_output]
        taken = {nodes for _, nodes in self.taken}
        singles = [None if unit in taken else unit[0] for unit in self.units]
        left = PartitionGraph(
            before,
            (False,) * len(singles),
            tuple(tensors[i] for i in kept),
            tuple(f"subgraph {i}" if v is None else whole.names[v] for i, v in enumerate(singles)),
            tuple("" if v is None else whole.types[v] for v in singles),
            tuple(() if v is None else whole.origins[v] for v in singles) if whole.origins else (),
        )
        return left, None if times is None else _times_of(times, singles, kept)


def _merged(tensor: PartitionTensor, of: Sequence[int]) -> PartitionTensor:
    producer = None if tensor.producer is None else of[tensor.producer]
    consumers = tuple(sorted({of[node] for node in tensor.consumers} - {producer}))
    return PartitionTensor(producer, consumers, tensor.nbytes, tensor.is_output)


def _times_of(times: PlacementTimes, nodes: Sequence[int | None], tensors: Sequence[int]) -> PlacementTimes:
    return replace(
        times,
        host_us=tuple(0.0 if v is None else times.host_us[v] for v in nodes),
        device_us=tuple(0.0 if v is None else times.device_us[v] for v in nodes),
        transfer_us=tuple(times.transfer_us[i] for i in tensors),
    )


def _ranges(sizes: Sequence[int]) -> list[range]:
    found: list[range] = []
    for size in sizes:
        start = found[-1].stop if found else 0
        found.append(range(start, start + size))
    return found


def _time_us(
    graph: PartitionGraph,
    answers: Sequence[Answers],
    taken: Sequence[tuple[str, Sequence[int]]],
    order: Sequence[int],
    runs: Sequence[range],
) -> float | None:
    """All nodes one after the other, with transfers and starts; None where a delegate that took some has no times."""
    times = {each.delegate: each.known_times for each in answers if each.known_times is not None}
    if not times or any(delegate not in times for delegate, _ in taken):
        return None
    gone = set(order)
    total = sum(us for v, us in enumerate(next(iter(times.values())).host_us) if v not in gone)
    for delegate in dict.fromkeys(delegate for delegate, _ in taken):
        costs = subgraph_costs(graph, times[delegate], order, runs)
        total += sum(cost.total_us for (owner, _), cost in zip(taken, costs, strict=True) if owner == delegate)
    return total
