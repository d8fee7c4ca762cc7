"""BATCH: runs of several requests become one, and each gets what it would have got alone."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from lite_delegate import (
    Core,
    DataType,
    DelegateExecuteError,
    DelegateWarning,
    FallbackError,
    InputError,
    Kernel,
    KernelError,
    PropertyError,
    RequestCancelled,
)
from lite_delegate.delegate import RejectCode, Rejected, SupportResult, TurnCause
from lite_delegate.demo import model_path
from lite_delegate.devices.virtual.batch import BatchDevices
from lite_delegate.inference import CompiledModel, InferRequest, Outcome, Stage, make_stateful
from lite_delegate.ir import Graph
from lite_delegate.npu import Device, NPUDelegate
from lite_delegate.npu.device.programs.memory import Capacity
from lite_delegate.properties import Choice, PropertySpec
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate
from tests.inference.state.cells import recurrent_cell
from tests.passes.random_graphs import Builder

LONG = 60
MINUTE = {"AUTO_BATCH_TIMEOUT": 60_000}
"""So long that what comes earlier did not wait for it."""


class Seeing(NamedDelegate):
    """Computes on the host; notes the batches that it was given, and may hold them up or fail."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []
        self.begun, self.go = threading.Semaphore(0), threading.Event()
        self.go.set()

    def create_graph_kernel(self, run: Sequence[Kernel], model: Any) -> Kernel:
        seen = self

        class Noting(GroupKernel):
            def execute(self) -> None:
                batch = self.inputs[0].data
                seen.batches.append(len(batch))
                seen.begun.release()
                assert seen.go.wait(LONG)
                if np.any(batch == 13):
                    raise DelegateExecuteError("13 is not for this device.")
                super().execute()

        return Noting("Noting", model.boundary_of(run), run)


def item(number: float) -> np.ndarray[Any, Any]:
    return np.full((1, 3), number, np.float32)


def doubled(shape: tuple[int, ...] = (1, 3)) -> Graph:
    b = Builder()
    x = b.input("x", shape)
    return b.graph(b.node("AddFusion", x, x))


def batched(delegate: Seeing, size: str = "(4)", properties: Mapping[str, object] = MINUTE) -> CompiledModel:
    core = Core()
    core.register_device("chip", lambda options: delegate)
    compiled = core.compile_model(doubled(), f"BATCH:chip{size}", properties)
    assert hasattr(compiled, "batch")
    return compiled


def start(compiled: CompiledModel, numbers: Sequence[float]) -> list[InferRequest]:
    requests = [compiled.create_infer_request() for _ in numbers]
    for request, number in zip(requests, numbers, strict=True):
        request.start_async([item(number)])
    return requests


def given(requests: Sequence[InferRequest]) -> list[float]:
    for request in requests:
        assert request.wait_for(LONG)
    return [float(request.results[0][0, 0]) for request in requests]


def test_any_four_of_eight_requests_are_one_batch_at_once() -> None:
    delegate = Seeing()
    compiled = batched(delegate)
    assert compiled.optimal_requests % 4 == 0
    requests = [compiled.create_infer_request() for _ in range(8)]
    chosen = [requests[i] for i in (6, 1, 3, 4)]
    for number, request in enumerate(chosen):
        request.start_async([item(number)])
    assert given(chosen) == [0, 2, 4, 6]
    assert delegate.batches == [4]
    assert compiled.batch.groups == {4: 1}
    for request in chosen:
        profile = request.profile
        assert profile is not None
        assert set(profile.waited) == {TurnCause.BATCH}
        assert 0 < profile.waited[TurnCause.BATCH] <= profile.stages[Stage.TURN]
        assert sum(profile.stages.values()) == profile.latency_ns


@pytest.mark.shows("core", "AUTO_BATCH_TIMEOUT")
def test_a_lone_run_waits_as_long_as_it_is_told() -> None:
    delegate = Seeing()
    compiled = batched(delegate, properties={"AUTO_BATCH_TIMEOUT": 30})
    request = compiled.create_infer_request()
    np.testing.assert_array_equal(request.infer([item(4)])[0], item(8))
    assert delegate.batches == [1]
    assert request.profile is not None
    assert request.profile.waited[TurnCause.BATCH] >= 30e6
    assert Stage.QUEUE not in request.profile.stages


@pytest.mark.shows("BATCH", "AUTO_BATCH_TIMEOUT", "OPTIMAL_BATCH_SIZE")
def test_the_timeout_can_be_changed_while_a_run_waits() -> None:
    compiled = batched(Seeing())
    assert compiled.get_property("auto_batch_timeout") == 60_000
    (request,) = start(compiled, [3])
    compiled.set_property({"AUTO_BATCH_TIMEOUT": 0})
    assert given([request]) == [6]
    assert compiled.get_property("AUTO_BATCH_TIMEOUT") == 0
    with pytest.raises(PropertyError, match="AUTO_BATCH_TIMEOUT"):
        compiled.set_property({"AUTO_BATCH_TIMEOUT": -1})
    assert compiled.get_property("OPTIMAL_BATCH_SIZE") == 4


@pytest.mark.parametrize(("hint", "timeout"), [("LATENCY", 10), ("THROUGHPUT", 100)])
def test_how_long_it_waits_follows_the_hint(hint: str, timeout: int) -> None:
    compiled = Core().compile_model(doubled(), "BATCH:NPU(2)", {"PERFORMANCE_HINT": hint})
    assert compiled.get_property("AUTO_BATCH_TIMEOUT") == timeout


def test_three_runs_are_a_batch_of_four_with_room_to_spare() -> None:
    delegate = Seeing()
    compiled = batched(delegate, properties={"AUTO_BATCH_TIMEOUT": 60_000})
    requests = start(compiled, [1, 2, 3])
    compiled.set_property({"AUTO_BATCH_TIMEOUT": 0})
    assert given(requests) == [2, 4, 6]
    assert sum(compiled.batch.groups.values()) >= 1
    assert all(batch in (1, 2, 4) for batch in delegate.batches)
    assert compiled.batch.compiled == (1, 2, 4)


def test_a_waiting_run_can_be_cancelled_and_the_other_runs_go_on() -> None:
    delegate = Seeing()
    compiled = batched(delegate)
    (gone,) = start(compiled, [9])
    assert gone.cancel()
    with pytest.raises(RequestCancelled):
        gone.wait_for(LONG)
    assert gone.outcome is Outcome.CANCELLED
    assert given(start(compiled, [1, 2, 3, 4])) == [2, 4, 6, 8]
    assert delegate.batches == [4]


def test_cancelling_one_run_of_a_group_leaves_the_others_theirs() -> None:
    delegate = Seeing()
    delegate.go.clear()
    compiled = batched(delegate)
    requests = start(compiled, [1, 2, 3, 4])
    assert delegate.begun.acquire(timeout=LONG)
    requests[3].cancel()
    delegate.go.set()
    assert given(requests[:3]) == [2, 4, 6]


def test_of_a_group_with_a_bad_run_only_that_fails() -> None:
    delegate = Seeing()
    core = Core()
    core.register_device("chip", lambda options: delegate)
    compiled = core.compile_model(doubled(), "BATCH:chip(4)", MINUTE)
    requests = start(compiled, [1, 13, 3, 4])
    assert given([requests[i] for i in (0, 2, 3)]) == [2, 6, 8]
    with pytest.raises(DelegateExecuteError, match="13 is not for this device"):
        requests[1].wait_for(LONG)
    assert delegate.batches[0] == 4
    assert sorted(delegate.batches[1:]) == [1, 1, 1, 1]


def test_whether_the_cpu_runs_where_the_device_fails_is_switched_for_all_batches() -> None:
    delegate = Seeing()
    core = Core()
    core.register_device("chip", lambda options: delegate)
    compiled = core.compile_model(doubled(), "BATCH:HETERO:chip,CPU(2)", {**MINUTE, "ON_DEVICE_ERROR": "FALLBACK"})
    assert given(start(compiled, [13, 13])) == [26, 26]
    compiled.set_property({"ON_DEVICE_ERROR": "RAISE"})
    for request in start(compiled, [13, 13]):
        with pytest.raises(DelegateExecuteError, match="13 is not for this device"):
            request.wait_for(LONG)


class Moody(Seeing):
    """Notes the graph kernels whose property is set."""

    told: tuple[Kernel, ...] = ()

    def properties(self) -> Sequence[PropertySpec]:
        return (PropertySpec("MOOD", "how it feels", Choice(("CALM", "LOUD")), "CALM", scope="dc", when="R"),)

    def set_run_time_properties(self, kernels: Sequence[Kernel], properties: Mapping[str, object]) -> None:
        self.told = (*self.told, *kernels)


def test_what_is_set_is_set_for_the_graph_kernels_of_all_batches() -> None:
    delegate = Moody()
    compiled = batched(delegate)
    devices = compiled.setup.devices
    assert isinstance(devices, BatchDevices)
    models = devices.batches.models
    compiled.set_property({"MOOD": "LOUD"})
    assert compiled.get_property("MOOD") == "LOUD"
    assert list(models) == [1, 2, 4]
    assert list(delegate.told) == [kernel for model in models.values() for kernel in model.graph_kernels]
    assert compiled.graph_kernels == models[1].graph_kernels


def test_closing_does_not_wait_for_runs_that_may_come() -> None:
    compiled = batched(Seeing())
    (request,) = start(compiled, [3])
    devices = compiled.setup.devices
    assert isinstance(devices, BatchDevices)
    while not devices.groups._waiting:
        pass
    compiled.close()
    assert given([request]) == [6]


def test_many_threads_get_each_its_own() -> None:
    compiled = batched(Seeing(), properties={"AUTO_BATCH_TIMEOUT": 1})
    with ThreadPoolExecutor(16) as threads:
        found = list(threads.map(lambda n: float(compiled([item(n)])[0][0, 0]), range(100, 400)))
    assert found == [2 * n for n in range(100, 400)]
    assert sum(size * count for size, count in compiled.batch.groups.items()) == 300


def test_results_are_those_of_single_runs_to_the_bit() -> None:
    core = Core()
    single, many = core.compile_model(model_path(), "NPU"), core.compile_model(model_path(), "BATCH:NPU(4)", MINUTE)
    assert hasattr(many, "batch")
    rng = np.random.default_rng(5)
    inputs = [rng.random(single.inputs[0].extents).astype(np.float32) for _ in range(4)]
    requests = [many.create_infer_request() for _ in range(4)]
    for request, x in zip(requests, inputs, strict=True):
        request.start_async([x])
    for request, x in zip(requests, inputs, strict=True):
        assert request.wait_for(LONG)
        np.testing.assert_array_equal(request.results[0], single([x])[0])
    assert many.batch.groups == {4: 1}
    assert any(note.startswith("BATCH: up to 4 runs at once") for note in many.partition.notes)


def test_without_a_size_it_follows_from_the_device_s_estimates() -> None:
    compiled = Core().compile_model(model_path(), "BATCH:NPU")
    assert hasattr(compiled, "batch")
    assert compiled.batch.size in (1, 2, 4, 8, 16)
    least = Core().compile_model(model_path(), "BATCH:NPU", {"PERFORMANCE_HINT_NUM_REQUESTS": 2})
    assert hasattr(least, "batch")
    assert least.batch.size <= 2


def mixing(name: str) -> Graph:
    b = Builder()
    x = b.input("x", (2, 3))
    y = b.node("AddFusion", x, x)
    if name == "sum":
        z = b.node("ReduceFusion", y, b.const([0], np.int32), mode="ReduceSum", keep_dims=True, shapes=(1, 3))
    elif name == "softmax":
        z = b.node("Softmax", y, axis=[0])
    elif name == "concat":
        z = b.node("Concat", y, y, axis=0, shapes=(4, 3))
    else:
        z = b.node("ReverseV2", y, axis=[0])
    return b.graph(b.node("Neg", z, shapes=z.shape))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sum", "output .* of 2 runs has shape"),
        ("softmax", r"node 'Softmax1' \(Softmax\) mixes dimension 0"),
        ("concat", r"node 'Concat1' \(Concat\) mixes dimension 0"),
        ("reverse", r"node 'ReverseV21' \(ReverseV2\) mixes dimension 0"),
    ],
)
def test_a_node_that_mixes_runs_is_named_and_computed_alone(name: str, said: str) -> None:
    x = np.random.default_rng(1).normal(size=(2, 3)).astype(np.float32)
    expected = Core().compile_model(mixing(name), "CPU")([x])[0]
    with pytest.warns(DelegateWarning, match=f"BATCH: every run is computed alone, because {said}"):
        compiled = Core().compile_model(mixing(name), "BATCH:CPU(4)")
    assert not hasattr(compiled, "batch")
    np.testing.assert_array_equal(compiled([x])[0], expected)


@pytest.mark.shows("core", "ALLOW_AUTO_BATCHING")
@pytest.mark.parametrize("device", ["NPU", "HETERO:NPU,CPU"])
def test_runs_are_joined_without_being_asked_where_that_is_allowed(device: str) -> None:
    core, joined = Core(), {"ALLOW_AUTO_BATCHING": "YES", "AUTO_BATCH_TIMEOUT": 5}
    assert not hasattr(core.compile_model(doubled(), device), "batch")
    compiled = core.compile_model(doubled(), device, joined)
    assert hasattr(compiled, "batch")
    assert compiled.get_property("AUTO_BATCH_TIMEOUT") == 5
    core.set_property(joined)
    found = core.compile_model(doubled(), device)
    assert hasattr(found, "batch")
    assert found.get_property("AUTO_BATCH_TIMEOUT") == 5
    assert not hasattr(core.compile_model(doubled(), device, {"allow_auto_batching": "NO"}), "batch")
    assert not hasattr(core.compile_model(doubled(), f"AUTO:{device.rpartition(':')[2]}"), "batch")
    assert core.query_model(doubled(), device).devices == {"NPU": 1}
    with pytest.raises(PropertyError, match="ALLOW_AUTO_BATCHING must be YES or NO; got 'SOME'"):
        core.compile_model(doubled(), device, {"ALLOW_AUTO_BATCHING": "SOME"})


def test_a_model_whose_runs_cannot_be_joined_is_compiled_as_it_is_with_the_reason() -> None:
    model = make_stateful(recurrent_cell(), {"before": "after"})
    for core_wide in ({}, {"ALLOW_AUTO_BATCHING": "YES"}):
        core = Core()
        core.set_property(core_wide)
        call = {} if core_wide else {"ALLOW_AUTO_BATCHING": "YES"}
        with pytest.warns(DelegateWarning, match="every run is computed alone, because the model keeps state"):
            compiled = core.compile_model(model, "CPU", call)
        assert not hasattr(compiled, "batch")
        assert compiled.states


def test_a_model_with_state_is_rejected() -> None:
    with pytest.raises(InputError, match="BATCH: the model keeps state"):
        Core().compile_model(make_stateful(recurrent_cell(), {"before": "after"}), "BATCH:CPU(4)")


@pytest.mark.parametrize("properties", [{"AUTO_BATCH_TIMEOUT": -1}, {"AUTO_BATCH_TIMEOUT": "soon"}])
def test_bad_timeouts(properties: Mapping[str, object]) -> None:
    with pytest.raises(PropertyError, match="AUTO_BATCH_TIMEOUT"):
        Core().compile_model(doubled(), "BATCH:CPU(4)", properties)


def test_an_error_of_the_model_is_that_of_its_run() -> None:
    b = Builder()
    x = b.input("x", (1, 3))
    index = b.node("Cast", x, b.const(34, np.int32), dtype=DataType.INT32)
    graph = b.graph(b.node("Gather", b.const(np.arange(5.0)), index, b.const(0, np.int32), shapes=(1, 3)))
    compiled = Core().compile_model(graph, "BATCH:CPU(2)", MINUTE)
    assert hasattr(compiled, "batch")
    good, bad = start(compiled, [1, 77])
    assert given([good]) == [1]
    with pytest.raises(KernelError, match="77"):
        bad.wait_for(LONG)


def on_small_device(dram: int | None, size: str = "") -> CompiledModel:
    device, core = Device(memory=Capacity(dram=dram)), Core()
    options = {"PERFORMANCE_HINT": "THROUGHPUT"}
    core.register_device("chip", lambda given: NPUDelegate("npu4000", device=device, options=options))
    return core.compile_model(doubled((1, 4096)), f"BATCH:chip{size}", MINUTE)


ITEM = 2 * 4096 * 2
"""Bytes of a run: an input and an output of 4096 float16 numbers."""
ROUNDED = 512
"""What a program has beside its input and output."""


@pytest.mark.shows("BATCH", "MAX_BATCH_SIZE")
@pytest.mark.parametrize(
    ("dram", "most", "size", "said"),
    [
        (None, 4096, 16, ""),
        (ITEM + ROUNDED + ITEM, 1, 1, ""),
        (3 * ITEM + 2 * ROUNDED + 2 * ITEM, 4, 2, "BATCH: 2 runs are computed at once at most, because Device 'chip'"),
        (7 * ITEM + 3 * ROUNDED + 3 * ITEM, 9, 2, "BATCH: 2 runs .* no memory for the inputs and outputs of more runs"),
        (7 * ITEM + 3 * ROUNDED + 4 * ITEM, 10, 4, "BATCH: 4 runs .* The program needs"),
    ],
)
def test_no_batch_is_chosen_that_the_device_has_no_memory_for(
    dram: int | None, most: int, size: int, said: str
) -> None:
    with pytest.warns(DelegateWarning, match=said) if said else nullcontext():
        compiled = on_small_device(dram)
    assert compiled.get_property("MAX_BATCH_SIZE") == most
    assert compiled.get_property("OPTIMAL_BATCH_SIZE") == size
    requests = [compiled.create_infer_request() for _ in range(size)]
    for number, request in enumerate(requests):
        request.start_async([np.full((1, 4096), number, np.float32)])
    assert given(requests) == [2 * number for number in range(size)]
    with pytest.raises(PropertyError, match="can only be read"):
        compiled.set_property({"MAX_BATCH_SIZE": 1})


def test_a_size_that_is_asked_for_and_has_no_room_is_an_error() -> None:
    with pytest.raises(FallbackError, match=r"The program needs .* bytes of device memory"):
        on_small_device(3 * ITEM + 2 * ROUNDED + 2 * ITEM, "(4)")


def test_a_batch_that_a_device_does_not_take_is_the_end_of_larger_ones() -> None:
    class Limited(Seeing):
        def supports(self, kernel: Kernel) -> SupportResult | None:
            return (
                super().supports(kernel) if kernel.outputs[0].shape[0] <= 4 else Rejected(RejectCode.LIMIT, "too large")
            )

    with pytest.warns(DelegateWarning, match="BATCH: 4 runs are computed at once at most, because Device 'chip'"):
        compiled = batched(Limited(), size="")
    assert compiled.batch.compiled == (1, 2, 4)


@pytest.mark.parametrize("device", ["CPU", "NPU"])
def test_sizes_of_batches_are_of_models(device: str) -> None:
    for name in ("MAX_BATCH_SIZE", "OPTIMAL_BATCH_SIZE"):
        with pytest.raises(PropertyError, match="it is of models, read it of one that is compiled for BATCH"):
            Core().get_property(device, name)


def opened(properties: Mapping[str, object] = MINUTE, **more: Any) -> tuple[Seeing, CompiledModel]:
    """A model for any batch."""
    delegate, core = Seeing(), Core()
    core.register_device("chip", lambda options: delegate)
    return delegate, core.compile_model(doubled((-1, 3)), "BATCH:chip(4)", properties, **more)


@pytest.mark.parametrize("more", [{}, {"shapes": {"x": [(1, 8), 3]}}])
def test_runs_of_one_of_a_model_for_any_batch_are_joined(more: Any) -> None:
    delegate, compiled = opened(**more)
    assert hasattr(compiled, "batch")
    assert given(start(compiled, [1, 2, 3, 4])) == [2, 4, 6, 8]
    assert delegate.batches == [4]
    assert compiled.batch.groups == {4: 1}


def test_a_run_of_another_shape_waits_for_nobody_and_is_computed_as_it_is() -> None:
    delegate, compiled = opened()
    assert hasattr(compiled, "batch")
    waiting = start(compiled, [1, 2, 3])
    rows = np.arange(20, 35, dtype=np.float32).reshape(5, 3)
    request = compiled.create_infer_request()
    request.start_async([rows])
    assert request.wait_for(LONG)
    np.testing.assert_array_equal(request.results[0], 2 * rows)
    assert delegate.batches == [5]
    assert given([*waiting, *start(compiled, [4])]) == [2, 4, 6, 8]
    assert (delegate.batches, dict(compiled.batch.groups)) == ([5, 4], {4: 1})
    np.testing.assert_array_equal(request.infer([rows[:2]])[0], 2 * rows[:2])
    compiled.close()


def test_a_model_that_leaves_more_than_the_batch_open_is_computed_as_it_is() -> None:
    core = Core()
    with pytest.warns(DelegateWarning, match="no dimension 0, or another dimension is open"):
        compiled = core.compile_model(doubled((-1, -1)), "BATCH:CPU(4)")
    assert not hasattr(compiled, "batch")
    np.testing.assert_array_equal(compiled([np.ones((3, 5), np.float32)])[0], np.full((3, 5), 2, np.float32))


def test_what_mixes_an_open_batch_is_named() -> None:
    b = Builder()
    x = b.input("x", (-1, 3))
    mixing = b.graph(b.node("Softmax", x, axis=[0]))
    with pytest.warns(DelegateWarning, match="mixes dimension 0"):
        compiled = Core().compile_model(mixing, "BATCH:CPU(4)")
    assert not hasattr(compiled, "batch")
