"""Subgraphs on several simulated devices, on one clock: requests overlap, and what a run needs comes before it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Condition

import numpy as np
import pytest

from benchmarks.networks import NetBuilder
from lite_delegate import Core, PartitionOptions
from lite_delegate.delegate.calls.spans import current_request
from lite_delegate.inference import CompiledModel, InferRequest
from lite_delegate.ir import Graph
from lite_delegate.npu.execution.graph import NPUGraph
from tests.devices.test_instances import NAMES

X = np.ones((1, 16, 16, 8), np.float32)
ENDS_ON = 1
"""The second of the two devices, where runs end."""


class InOrder:
    """Lets the requests use each device one run after the other, in the order in which they are listed.

    The host's threads then cannot overtake each other, so that what the clock says is the same each time.
    """

    def __init__(self) -> None:
        self.requests: list[int] = []
        self._ran: dict[int, int] = {}
        self._turn = Condition()

    def execute(self, kernel: NPUGraph) -> None:
        if not self.requests:
            return EXECUTE(kernel)
        device = id(kernel.memory_owner)
        with self._turn:
            self._turn.wait_for(lambda: self._next(device) == current_request(), timeout=60)
        EXECUTE(kernel)
        with self._turn:
            self._ran[device] = self._ran.get(device, 0) + 1
            self._turn.notify_all()
        return None

    def _next(self, device: int) -> int:
        return self.requests[self._ran.get(device, 0) % len(self.requests)]


EXECUTE = NPUGraph.execute


@pytest.fixture
def in_order(monkeypatch: pytest.MonkeyPatch) -> InOrder:
    order = InOrder()
    monkeypatch.setattr(NPUGraph, "execute", lambda kernel: order.execute(kernel))
    return order


def network(first: int, second: int) -> Graph:
    """Two convolutions, of as many channels in between as given, and a second pair of them."""
    builder = NetBuilder("net", X.shape, fused=True)
    middle = builder.conv(builder.conv(builder.input, first, 3), 8, 3)
    return builder.graph(builder.conv(builder.conv(middle, second, 3), 8, 3))


def on_two_devices(monkeypatch: pytest.MonkeyPatch, graph: Graph) -> CompiledModel:
    monkeypatch.setenv("LITE_DELEGATE_NPU_DEVICES", "4000,4000")
    nodes = [node.name for node in graph.nodes]
    affinity = {name: NAMES[number >= len(nodes) // 2] for number, name in enumerate(nodes)}
    options = PartitionOptions(affinity=affinity)
    compiled = Core().compile_model(graph, f"HETERO:{NAMES[0]},{NAMES[1]}", partition=options)
    assert [subgraph.delegate for subgraph in compiled.partition.subgraphs] == list(NAMES)
    return compiled


def ends(request: InferRequest) -> list[float]:
    """When the last run ended on each device."""
    simulated = request.profile.simulated
    assert simulated is not None
    return [run.end_us for run in simulated.runs]


def scheduled(latencies: list[float], requests: int, runs: int) -> list[list[float]]:
    """When each run ends on each device: it needs the device, what it gets from the one before, and its request."""
    free, over, found = [0.0] * len(latencies), [0.0] * requests, []
    for run in range(runs):
        now = over[run % requests]
        times = []
        for device, latency in enumerate(latencies):
            now = free[device] = max(free[device], now) + latency
            times.append(now)
        over[run % requests] = now
        found.append(times)
    return found


@pytest.mark.parametrize(("first", "second"), [(16, 128), (128, 16)], ids=["second is slower", "first is slower"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_interval_is_that_of_the_slowest_subgraph(
    first: int, second: int, count: int, in_order: InOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = network(first, second)
    alone = on_two_devices(monkeypatch, graph).create_infer_request()
    alone.infer([X])
    simulated = alone.profile.simulated
    assert simulated is not None
    latencies = [run.latency_us for run in simulated.runs]
    compiled = on_two_devices(monkeypatch, graph)
    requests = [compiled.create_infer_request() for _ in range(count)]
    in_order.requests = [request.number for request in requests]
    runs = 4

    def run(request: InferRequest) -> list[list[float]]:
        found = []
        for _ in range(runs):
            request.infer([X])
            found.append(ends(request))
        return found

    with ThreadPoolExecutor(count) as pool:
        per_request = list(pool.map(run, requests))
    found = [per_request[n % count][n // count] for n in range(runs * count)]
    np.testing.assert_allclose(found, scheduled(latencies, count, runs * count))
    steady = [each[ENDS_ON] for each in found[count:]]
    np.testing.assert_allclose(np.diff(steady), sum(latencies) if count == 1 else max(latencies))


def test_a_device_that_was_idle_is_not_asked_before_there_is_something_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    request = on_two_devices(monkeypatch, network(16, 16)).create_infer_request()
    before = 0.0
    for _ in range(2):
        request.infer([X])
        simulated = request.profile.simulated
        assert simulated is not None
        first, second = simulated.runs
        assert first.enqueued_us == before
        assert second.enqueued_us == first.end_us
        assert simulated.elapsed_us == second.end_us - before
        before = second.end_us
