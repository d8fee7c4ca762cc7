"""Losses: the time that a group of claimed nodes takes on the CPU, and would take on the device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief
from ..graph import PartitionGraph
from .cost import PlacementCost
from .times import PlacementTimes


@dataclass(frozen=True, slots=True)
class Loss(Brief):
    """A connected group of claimed nodes that stay on the CPU.

    Attributes:
        nodes: ascending.
        host_us: on the CPU.
        host_transfer_us: transfers that are needed because they are there, and would not be otherwise.
        device_us: on the device.
        device_transfer_us: transfers that would be needed if they were there, and are not now.
        launch_us: of a subgraph of their own; 0 where they are next to one; negative where they would join some.
    """

    nodes: tuple[int, ...]
    host_us: float
    host_transfer_us: float
    device_us: float
    device_transfer_us: float
    launch_us: float

    @property
    def stays_us(self) -> float:
        """The time of the lost nodes on the CPU, with the transfers that they cause there."""
        return self.host_us + self.host_transfer_us

    @property
    def moves_us(self) -> float:
        """The time that it would take on the device."""
        return self.device_us + self.device_transfer_us + self.launch_us

    def beside(self, now: PlacementCost, then: PlacementCost) -> Loss:
        """The loss with transfers and starts as in the whole graph, now and with the nodes on the device."""
        transfers, launches = then.transfer_us - now.transfer_us, then.launch_us - now.launch_us
        return replace(
            self, host_transfer_us=max(0.0, -transfers), device_transfer_us=max(0.0, transfers), launch_us=launches
        )

    def reason(self, source: str) -> str:
        """Both sums for people, with where the figures come from."""
        host = _terms(("CPU", self.host_us), ("transfers", self.host_transfer_us))
        device = _terms(("device", self.device_us), ("transfers", self.device_transfer_us), ("launch", self.launch_us))
        others = len(self.nodes) - 1
        head = f"with {others} connected {'kernel' if others == 1 else 'kernels'}: " if others else ""
        return f"{head}{host}, {device} ({source})"


def losses(graph: PartitionGraph, times: PlacementTimes, on_device: Sequence[bool]) -> tuple[Loss, ...]:
    """The claimed nodes that are not on the device, connected ones together, in the order of their first nodes."""
    lost = [claimed and not there for claimed, there in zip(graph.claimed, on_device, strict=True)]
    group_of = _connected(graph, lost)
    members: dict[int, list[int]] = {}
    for node, group in enumerate(group_of):
        if group >= 0:
            members.setdefault(group, []).append(node)
    stays, moves = dict.fromkeys(members, 0.0), dict.fromkeys(members, 0.0)
    beside: set[int] = set()
    for tensor, us in zip(graph.tensors, times.transfer_us, strict=True):
        ends = [*tensor.consumers] if tensor.producer is None else [tensor.producer, *tensor.consumers]
        groups = {group_of[node] for node in ends} - {-1}
        if any(on_device[node] for node in ends):
            beside |= groups
        now = _crossings(tensor.producer, tensor.consumers, tensor.is_output, on_device)
        for group in groups:
            there = _With(on_device, group_of, group)
            change = _crossings(tensor.producer, tensor.consumers, tensor.is_output, there) - now
            stays[group] += us * max(0, -change)
            moves[group] += us * max(0, change)
    return tuple(
        Loss(
            tuple(nodes),
            sum(times.host_us[node] for node in nodes),
            stays[group],
            sum(times.device_us[node] for node in nodes),
            moves[group],
            0.0 if group in beside else times.launch_us,
        )
        for group, nodes in members.items()
    )


class _With(Sequence[bool]):
    """The placement with a group of nodes on the device in addition."""

    def __init__(self, on_device: Sequence[bool], group_of: Sequence[int], group: int) -> None:
        self._on_device, self._group_of, self._group = on_device, group_of, group

    def __getitem__(self, node: int) -> bool:  # type: ignore[override]
        return self._on_device[node] or self._group_of[node] == self._group

    def __len__(self) -> int:
        return len(self._on_device)


def _crossings(producer: int | None, consumers: Sequence[int], is_output: bool, on_device: Sequence[bool]) -> int:
    """The number of crossings: 1 where a tensor is made on one side and needed on the other, else 0."""
    made_there = producer is not None and on_device[producer]
    if made_there:
        return int(is_output or not all(on_device[node] for node in consumers))
    return int(any(on_device[node] for node in consumers))


def _connected(graph: PartitionGraph, lost: Sequence[bool]) -> list[int]:
    """For each lost node the smallest node that tensors of lost nodes connect it with; -1 for a node that stays."""
    parent = [node if each else -1 for node, each in enumerate(lost)]

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    for tensor in graph.tensors:
        if tensor.producer is None or not lost[tensor.producer]:
            continue
        for node in tensor.consumers:
            if lost[node]:
                low, high = sorted((root(tensor.producer), root(node)))
                parent[high] = low
    return [root(node) if each else -1 for node, each in enumerate(lost)]


def _terms(*terms: tuple[str, float]) -> str:
    (first, us), *rest = terms
    return " + ".join([f"{first} {us:,.1f} us", *(f"{word} {more:,.1f} us" for word, more in rest if more)])
