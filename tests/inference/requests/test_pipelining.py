"""Requests of one model on a simulated device: they overlap, and the simulated times are the same each time."""

from __future__ import annotations

import gc
import random
import threading
import time
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise

import numpy as np
import pytest

from benchmarks.networks import NetBuilder
from lite_delegate import (
    Core,
    DelegateExecuteError,
    DeviceLost,
    PartitionOptions,
    RequestCancelled,
)
from lite_delegate.delegate import DeviceRun
from lite_delegate.inference import CompiledModel, InferRequest, RequestQueue
from lite_delegate.ir import Graph
from lite_delegate.npu import Device, NPUDelegate
from lite_delegate.npu.device import Faults
from lite_delegate.npu.execution.graph import NPUGraph
from tests.inference.holding import LONG

X = np.ones((1, 16, 16, 8), np.float32)
COUNT, REPEATS = 4, 20
DEVICES = ("NPU.MYRIAD_X", "NPU.4000")
HINTS = ("LATENCY", "THROUGHPUT")
STREAMS = (1, 4)


def network() -> Graph:
    builder = NetBuilder("net", X.shape, fused=True)
    return builder.graph(builder.conv(builder.conv(builder.input, 64, 3), 8, 3))


def compiled_for(device: str, hint: str, streams: int) -> CompiledModel:
    return Core().compile_model(network(), device, {"PERFORMANCE_HINT": hint, "NUM_STREAMS": streams})


def on(simulated: Device, **properties: object) -> CompiledModel:
    """On a device of the test's own, one run of which has the whole of."""
    core = Core()
    core.register_device("chip", lambda options: NPUDelegate("npu4000", device=simulated, options=options))
    return core.compile_model(network(), "chip", properties)


def runs_of(request: InferRequest) -> tuple[DeviceRun, ...]:
    simulated = request.profile.simulated
    return () if simulated is None else simulated.runs


def started(compiled: CompiledModel, count: int = COUNT) -> list[InferRequest]:
    requests = [compiled.create_infer_request() for _ in range(count)]
    for request in requests:
        request.start_async([X])
    return requests


def waited(requests: Sequence[InferRequest]) -> list[tuple[DeviceRun, ...]]:
    for request in requests:
        request.wait()
    return [runs_of(request) for request in requests]


def now_us(compiled: CompiledModel) -> float:
    kernel = next(iter(compiled.graph_kernels))
    assert isinstance(kernel, NPUGraph)
    return kernel.models[0].device.queue.now_us


@pytest.fixture
def delayed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers take from no time to some milliseconds for each run, at random."""
    run, generator = Device.run, random.Random()

    def late(self: Device, *arguments: object, **named: object) -> object:
        time.sleep(generator.choice((0.0, 0.0005, 0.003)))
        return run(self, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Device, "run", late)


@pytest.mark.parametrize("device", DEVICES)
def test_the_next_input_is_there_when_the_computation_before_it_ends(device: str) -> None:
    """The one that has the tiles computes without a pause; the last download follows the last computation."""
    requests = started(Core().compile_model(network(), device))
    found = [runs[0].stages for runs in waited(requests)]
    (upload, compute, download), *_ = found
    up, computing, down = (stage.duration_us for stage in (upload, compute, download))
    begun = [up + number * computing for number in range(COUNT)]
    np.testing.assert_allclose([stages[1].start_us for stages in found], begun)
    np.testing.assert_allclose([stages[2].end_us for stages in found], [each + computing + down for each in begun])
    np.testing.assert_allclose([stages[1].input_wait_us for stages in found], [up, 0, 0, 0], atol=1e-9)
    for before, (upload, _, _) in pairwise(found):
        assert upload.end_us <= before[1].end_us


@pytest.mark.usefixtures("delayed")
@pytest.mark.parametrize("streams", STREAMS)
@pytest.mark.parametrize("hint", HINTS)
@pytest.mark.parametrize("device", DEVICES)
def test_the_times_are_the_same_in_every_repeat(device: str, hint: str, streams: int) -> None:
    found = []
    for _ in range(REPEATS):
        compiled = compiled_for(device, hint, streams)
        requests = started(compiled)
        first = waited(requests)
        requests[2].start_async([X])
        requests[0].start_async([X])
        found.append((first, waited(requests), now_us(compiled)))
    assert all(each == found[0] for each in found)


@pytest.mark.usefixtures("delayed")
@pytest.mark.parametrize("streams", STREAMS)
@pytest.mark.parametrize("way", ["map", "start_async"])
def test_a_queue_takes_the_same_time_in_every_repeat(way: str, streams: int) -> None:
    """Which request the host has free first makes no difference; three in flight keep the tiles busy."""
    found = set()
    for _ in range(REPEATS):
        compiled = compiled_for("NPU.MYRIAD_X", "LATENCY", streams)
        with RequestQueue(compiled, 3) as queue:
            if way == "map":
                assert len(list(queue.map([X] * 8))) == 8
            else:
                for _ in range(8):
                    queue.start_async([X])
        found.add(now_us(compiled))
    alone = compiled_for("NPU.MYRIAD_X", "LATENCY", 1).create_infer_request()
    alone.infer([X])
    up, computing, down = (stage.duration_us for stage in runs_of(alone)[0].stages)
    assert list(found) == [pytest.approx(up + 8 * computing + down)]


def test_an_awaited_run_is_over_before_the_next_run_begins() -> None:
    compiled = compiled_for("NPU.4000", "LATENCY", 1)
    first, second = compiled.create_infer_request(), compiled.create_infer_request()
    first.start_async([X])
    while not first.wait_for(LONG):
        pass
    second.start_async([X])
    second.wait()
    assert runs_of(second)[0].enqueued_us == runs_of(first)[0].end_us
    second.infer([X])
    assert runs_of(second)[0].enqueued_us == now_us(compiled) - runs_of(second)[0].latency_us


def test_a_run_that_is_started_by_a_callback_is_behind_the_one_that_it_ends() -> None:
    compiled, ends, over = compiled_for("NPU.4000", "LATENCY", 4), list[DeviceRun](), threading.Event()
    request = compiled.create_infer_request()

    def again(_: object) -> None:
        ends.append(runs_of(request)[0])
        if len(ends) < 3:
            request.start_async([X])
        else:
            over.set()

    request.set_callback(again)
    request.start_async([X])
    assert over.wait(LONG)
    request.wait()
    assert [run.enqueued_us for run in ends[1:]] == [run.end_us for run in ends[:-1]]


class Held(Device):
    """Holds its runs until they may go on."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()

    def run(self, *arguments: object, **named: object) -> object:  # type: ignore[override]
        assert self.go.wait(LONG)
        return super().run(*arguments, **named)  # type: ignore[arg-type]


def cancelled(request: InferRequest) -> None:
    assert request.cancel()


def let_go_of(requests: list[InferRequest], number: int) -> None:
    del requests[number]
    gc.collect()


@pytest.mark.parametrize("streams", STREAMS)
@pytest.mark.parametrize("how", ["cancel", "let go", "deadline"])
def test_a_cancelled_run_leaves_no_time_behind(how: str, streams: int) -> None:
    """Those behind it move up: three runs take what three alone take."""
    expected = waited(started(on(Device()), 3))
    found = []
    for _ in range(REPEATS // 2):
        device = Held()
        requests = started(on(device, NUM_STREAMS=streams))
        second = requests[1]
        if how == "let go":
            del second
            let_go_of(requests, 1)
        else:
            if how == "deadline":
                assert not second.wait_for(1)
            cancelled(requests.pop(1))
        device.go.set()
        found.append(waited(requests))
        assert device.queue.now_us == expected[-1][0].end_us
        assert device.queue.waiting == 0
    assert all(each == expected for each in found)


def test_a_cancelled_run_tells_nothing_of_a_device_that_had_not_begun_with_it() -> None:
    device = Held()
    requests = started(on(device), 2)
    assert requests[1].cancel()
    device.go.set()
    with pytest.raises(RequestCancelled):
        requests[1].wait()
    assert requests[1].profile.simulated is None
    assert len(waited(requests[:1])) == 1


@pytest.mark.usefixtures("delayed")
@pytest.mark.parametrize(("faults", "failing"), [(Faults(timeout=[1]), [0]), (Faults(lost=[1]), [0, 1, 2, 3])])
def test_runs_that_fail_leave_no_time_behind(faults: Faults, failing: list[int]) -> None:
    """Once it is known that they have failed, the device is free; one worker, so that the same run fails each time."""
    found = []
    for _ in range(REPEATS):
        device = Device()
        compiled = on(device, NUM_STREAMS=1)
        device.inject(faults)
        requests = started(compiled)
        for number, request in enumerate(requests):
            if number in failing:
                with pytest.raises(DelegateExecuteError):
                    request.wait()
            else:
                request.wait()
        device.inject(Faults())
        found.append(([runs_of(request) for request in requests], device.queue.now_us))
        assert device.queue.waiting == 0
    assert all(each == found[0] for each in found)
    done = COUNT - len(failing)
    (up, computing, down) = (stage.duration_us for stage in waited(started(on(Device()), 1))[0][0].stages)
    assert found[0][1] == pytest.approx(up + done * computing + down if done else 0.0)


def test_a_run_that_fails_has_the_device_until_somebody_knows() -> None:
    """The second has computed since the end of the first computation, for as long as the first result took to come."""
    device = Device()
    compiled = on(device, NUM_STREAMS=1)
    device.inject(Faults(timeout=[2]))
    requests = started(compiled, 3)
    requests[0].wait()
    with pytest.raises(DelegateExecuteError):
        requests[1].wait()
    requests[2].wait()
    first, second, third = (runs_of(request)[0] for request in requests)
    up, computing, down = (stage.duration_us for stage in first.stages)
    assert (second.was_cancelled, second.end_us) == (True, first.end_us)
    assert second.stages[-1].duration_us == pytest.approx(down)
    assert third.end_us == pytest.approx(up + computing + down + computing + down)


def test_a_lost_device_begins_anew_with_the_runs_after_the_loss() -> None:
    device = Device()
    compiled = on(device, NUM_STREAMS=1)
    device.inject(Faults(lost=[1]))
    for request in started(compiled):
        with pytest.raises(DeviceLost):
            request.wait()
    request = on(device).create_infer_request()
    request.start_async([X])
    request.wait()
    (run,) = runs_of(request)
    assert run.enqueued_us == 0.0
    assert run.input_wait_us == pytest.approx(run.stages[0].duration_us)


def mixed(device: str, streams: int) -> CompiledModel:
    """Two graph kernels with CPU kernels between them."""
    builder = NetBuilder("net", X.shape, fused=True)
    first = builder.conv(builder.input, 64, 3)
    graph = builder.graph(builder.conv(builder.conv(first, 16, 3), 8, 3))
    (node,) = [node.name for node in graph.nodes if first in node.inputs]
    options = PartitionOptions(affinity={node: "CPU"})
    properties = {"DEVICE_PROPERTIES": {device: {"NUM_STREAMS": streams}}}
    compiled = Core().compile_model(graph, f"HETERO:{device},CPU", properties, partition=options)
    assert len(compiled.graph_kernels) == 2
    return compiled


@pytest.mark.usefixtures("delayed")
@pytest.mark.parametrize("streams", STREAMS)
@pytest.mark.parametrize("device", DEVICES)
def test_subgraphs_follow_each_other_and_the_host_between_them_takes_no_time(device: str, streams: int) -> None:
    found = []
    for _ in range(REPEATS):
        compiled = mixed(device, streams)
        found.append((waited(started(compiled)), now_us(compiled)))
    assert all(each == found[0] for each in found)
    runs, end = found[0]
    assert end == max(second.end_us for _, second in runs)
    assert all(second.enqueued_us == first.end_us for first, second in runs)
    alone = mixed(device, 1).create_infer_request()
    alone.infer([X])
    assert [round(run.latency_us, 6) for run in runs_of(alone)] == [
        round(stages_us, 6) for stages_us in (sum(stage.duration_us for stage in run.stages) for run in runs[0])
    ]
    computing = [stage for each in runs for run in each for stage in run.stages if stage.stage == "compute"]
    assert end < COUNT * sum(run.latency_us for run in runs_of(alone))
    for one, other in combinations(computing, 2):
        assert one.end_us <= other.start_us or other.end_us <= one.start_us


@pytest.mark.parametrize(
    "properties", [{"NPU_RUN_INFERENCES_SEQUENTIALLY": "YES"}, {"EXCLUSIVE_ASYNC_REQUESTS": "YES"}]
)
def test_runs_that_are_to_go_one_at_a_time_do_not_overlap(properties: dict[str, object]) -> None:
    runs = [each[0] for each in waited(started(on(Device(), **properties)))]
    assert [run.enqueued_us for run in runs[1:]] == [run.end_us for run in runs[:-1]]


def test_reading_a_profile_does_not_change_later_profiles() -> None:
    """The second is submitted where the first was, also if somebody looks at the first before it is waited for."""

    def ended(look: Callable[[InferRequest], object]) -> float:
        compiled = on(Device())
        first, second = compiled.create_infer_request(), compiled.create_infer_request()
        over = threading.Event()
        first.set_callback(lambda _: over.set())
        first.start_async([X])
        assert over.wait(LONG)
        look(first)
        second.start_async([X])
        return waited([first, second])[1][0].end_us

    assert ended(runs_of) == ended(lambda _: None) < 2 * waited(started(on(Device()), 1))[0][0].end_us
