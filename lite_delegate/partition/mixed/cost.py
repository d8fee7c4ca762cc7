"""The time of a graph on several devices, one subgraph after the other."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph import PartitionGraph, successors
from .times import HOST, MixedTimes


def device_runs(graph: PartitionGraph, devices: Sequence[int]) -> list[list[int]]:
    """Runs of one device's nodes without other nodes in between, in an order with few runs.

    The order goes on with one device as long as a node is ready there, then with the device of the first ready node.
    Of the orders that begin with each device, the order with the fewest runs is taken.

    Args:
        graph: nodes and their dependencies.
        devices: the device of each node.
    """
    after = successors(graph)
    firsts = {devices[node]: None for node, before in enumerate(graph.predecessors) if not before}
    return min((_runs(graph, after, devices, first) for first in firsts), key=len, default=[])


def _runs(graph: PartitionGraph, after: Sequence[Sequence[int]], devices: Sequence[int], first: int) -> list[list[int]]:
    missing = [len(before) for before in graph.predecessors]
    ready: dict[int, list[int]] = {}
    for node, count in enumerate(missing):
        if not count:
            ready.setdefault(devices[node], []).append(node)
    runs: list[list[int]] = []
    device = first
    while ready:
        run, waiting = [], ready.pop(device)
        while waiting:
            node = waiting.pop()
            run.append(node)
            for follower in after[node]:
                missing[follower] -= 1
                if not missing[follower]:
                    mine = waiting if devices[follower] == device else ready.setdefault(devices[follower], [])
                    mine.append(follower)
        runs.append(run)
        device = min(ready, key=lambda each: min(ready[each]), default=device)
    return runs


def mixed_cost(graph: PartitionGraph, times: MixedTimes, devices: Sequence[int]) -> float:
    """Microseconds of a graph whose nodes run on these devices.

    A subgraph takes each tensor that it reads from the host, where it was not made in it, and gives each that is read
    elsewhere.
    """
    runs = device_runs(graph, devices)
    run_of = [-1] * len(graph)
    for number, run in enumerate(runs):
        for node in run:
            run_of[node] = number if devices[node] != HOST else -1
    total = sum(times.node_us[node][device] for node, device in enumerate(devices))
    total += sum(times.start_us[devices[run[0]]] for run in runs)
    for tensor in graph.tensors:
        made_in = -1 if tensor.producer is None else run_of[tensor.producer]
        read_in = {run_of[node] for node in tensor.consumers} | ({-1} if tensor.is_output else set())
        crossing = read_in - {-1, made_in} | ({made_in} if made_in >= 0 and read_in - {made_in} else set())
        total += sum(tensor.nbytes * times.byte_us[devices[runs[number][0]]] for number in crossing)
    return total
