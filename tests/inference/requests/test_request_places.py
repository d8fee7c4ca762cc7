"""Runs that are held at each place of their way: cancelled there, the time shows there, nothing disturbs them."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

import numpy as np
import pytest

from lite_delegate import Core, DataType, Kernel, RequestCancelled
from lite_delegate.delegate import SpanKind, recording
from lite_delegate.devices.virtual.run_groups import Groups
from lite_delegate.inference import CompiledModel, InferRequest, Outcome, Stage
from lite_delegate.inference.requests.job import Job
from lite_delegate.inference.tensors import element_types, given_inputs
from lite_delegate.ir import Graph, Value, constant
from tests.inference.holding import LONG
from tests.inference.profiling.test_stages import check_exact
from tests.runtime.graphs import binary

SHAPE = (64, 64)
X = np.ones(SHAPE, np.float32)


class Holder:
    """Where a run is held: the first that comes signals and waits, whatever is asked of it meanwhile.

    Attributes:
        held, leave: that a run is there; that it may go on.
        held_ns: from when to when it was there.
    """

    def __init__(self) -> None:
        self.held, self.leave = threading.Event(), threading.Event()
        self.spans: list[tuple[SpanKind, str]] = []
        self.held_ns = 0, 0

    def hold(self) -> None:
        if not self.held.is_set():
            begin = perf_counter_ns()
            self.held.set()
            assert self.leave.wait(LONG)
            self.held_ns = begin, perf_counter_ns()


class At(Holder):
    """Records the spans of a run, and holds it where one begins: of those that are alike the one of a number."""

    def __init__(self, kind: SpanKind, name: str | None = None, number: int = 1) -> None:
        super().__init__()
        self.wanted = kind, name
        self.left = number

    def begin(self, kind: SpanKind, name: str, kernel: Kernel | None) -> None:
        self.spans.append((kind, name))
        if kind is self.wanted[0] and self.wanted[1] in (None, name):
            self.left -= 1
            if self.left == 0:
                self.hold()

    def end(self) -> None:
        pass


def compiled_for(device: str, **properties: object) -> CompiledModel:
    """a, b -> n0: a + b -> n1: + 1 -> n2: - 3, and n1 is an output, too."""
    a, b = (Value(name, DataType.FLOAT32, SHAPE) for name in "ab")
    n0 = binary("n0", a, b)
    n1 = binary("n1", n0.outputs[0], constant("one", np.ones((1,), np.float32)))
    n2 = binary("n2", n1.outputs[0], constant("three", np.full((1,), 3, np.float32)), "SubFusion")
    return Core().compile_model(Graph("main", [a, b], [n2.outputs[0], n1.outputs[0]], [n0, n1, n2]), device, properties)


def started(holder: Holder, request: InferRequest, inputs: Any) -> None:
    """Starts a run, which is held when this returns."""
    with recording(holder) if isinstance(holder, At) else nullcontext():
        request.start_async(inputs)
    assert holder.held.wait(LONG)


def cancelled_at(holder: Holder, request: InferRequest, inputs: Any) -> bool:
    """Starts a run, cancels it where it is held, and lets it go on; what cancel says."""
    started(holder, request, inputs)
    told = request.cancel()
    assert not request.wait_for(0)  # it does not wait
    holder.leave.set()
    return told


def ends_as_cancelled(holder: Holder, request: InferRequest, inputs: Any) -> None:
    request.infer([X, X])
    assert cancelled_at(holder, request, inputs)
    with pytest.raises(RequestCancelled):
        request.wait()
    assert request.outcome is Outcome.CANCELLED
    np.testing.assert_array_equal(request.get_output_tensor().data, X * 0)
    np.testing.assert_array_equal(request.infer([X + 1, X])[0], X)


@dataclass(frozen=True)
class Place:
    """Where a run is held, and what it then does not come to.

    Attributes:
        device: that it runs on.
        kind, name: of the span at whose beginning it is held.
        number: of it, where there are several.
        stage: of the profile, the last one that it came to.
        never: spans that do not begin any more.
    """

    device: str
    kind: SpanKind
    name: str | None
    stage: Stage
    never: tuple[SpanKind, str | None]
    number: int = 1

    def at(self) -> At:
        """Holds a run there."""
        return At(self.kind, self.name, self.number)


PLACES = {
    "upload": Place("NPU", SpanKind.PACK, None, Stage.UPLOAD, (SpanKind.COMPUTE, None)),
    "in front of the device": Place("NPU", SpanKind.ENQUEUE, None, Stage.TURN, (SpanKind.COMPUTE, None)),
    "device": Place("NPU", SpanKind.COMPUTE, None, Stage.COMPUTE, (SpanKind.UNPACK, None)),
    "download": Place("NPU", SpanKind.UNPACK, None, Stage.DOWNLOAD, (SpanKind.HOST, "give outputs")),
    "CPU kernel": Place("CPU", SpanKind.CPU_KERNEL, "n0", Stage.CPU, (SpanKind.CPU_KERNEL, "n1")),
    "postprocess": Place("CPU", SpanKind.HOST, "give outputs", Stage.POSTPROCESS, (SpanKind.PREDICTION, None), 2),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_run_that_is_held_at_a_place_and_cancelled_goes_no_further(place: Place) -> None:
    chunks = {"TRANSFER_CHUNK": 1024} if place.device == "NPU" else {}
    at = place.at()
    request = compiled_for(place.device, **chunks).create_infer_request()
    profiles = []
    request.set_callback(None, on_error=lambda userdata, error: profiles.append(request.profile))
    ends_as_cancelled(at, request, [X, X])
    kind, name = place.never
    assert [span for span in at.spans if span[0] is kind and name in (None, span[1])] == []
    (profile,) = profiles
    assert [each.stage for each in profile.stretches if each.stage is place.stage]
    assert profile.cancel_latency_ns is not None
    check_exact(profile)


def shows(holder: Holder, request: InferRequest, stage: Stage) -> None:
    """The time for which a run was held is in one stretch of that stage, and in no other."""
    check_exact(request.profile)
    begin, end = holder.held_ns
    assert 0 < begin <= end
    within = [each for each in request.profile.stretches if each.start_ns < end and begin < each.end_ns]
    assert [each.stage for each in within] == [stage]


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_the_time_for_which_a_run_is_held_shows_in_its_stage_only(place: Place) -> None:
    at = place.at()
    request = compiled_for(place.device).create_infer_request()
    started(at, request, [X, X])
    at.leave.set()
    request.wait()
    shows(at, request, place.stage)


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_run_that_is_held_is_not_disturbed_when_memory_is_released(place: Place) -> None:
    at, compiled = place.at(), compiled_for(place.device)
    request = compiled.create_infer_request()
    compiled([X, X])
    started(at, request, [X + 1, X])
    freed = compiled.release_memory()
    assert (freed > 0) == (place.device == "NPU")
    assert compiled.release_memory() == 0
    at.leave.set()
    request.wait()
    np.testing.assert_array_equal(request.results[0], X)
    np.testing.assert_array_equal(compiled([X, X])[0], X * 0)


def test_the_time_that_a_run_waits_for_a_worker_shows_as_its_queue() -> None:
    at, compiled = At(SpanKind.CPU_KERNEL, "n0"), compiled_for("CPU")
    running = [compiled.create_infer_request() for _ in range(compiled.optimal_requests)]
    ats = [At(SpanKind.CPU_KERNEL, "n0") for _ in running]
    for holder, request in zip(ats, running, strict=True):
        started(holder, request, [X, X])
    queued = compiled.create_infer_request()
    queued.start_async([X, X])
    at.held_ns = perf_counter_ns(), perf_counter_ns() + 1
    for holder in ats:
        holder.leave.set()
    queued.wait()
    shows(at, queued, Stage.QUEUE)


def test_inputs_are_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    holder, converted, convert = Holder(), list[int](), element_types.converted

    def holding(array: Any, wanted: Any) -> Any:
        converted.append(1)
        holder.hold()
        return convert(array, wanted)

    request = compiled_for("CPU").create_infer_request()
    monkeypatch.setattr(given_inputs, "converted", holding)
    ends_as_cancelled(holder, request, [X.astype(np.float64)] * 2)
    assert converted == [1]


def test_the_time_of_a_conversion_shows_as_preprocessing(monkeypatch: pytest.MonkeyPatch) -> None:
    holder, convert = Holder(), element_types.converted

    def holding(array: Any, wanted: Any) -> Any:
        holder.hold()
        return convert(array, wanted)

    request = compiled_for("NPU").create_infer_request()
    monkeypatch.setattr(given_inputs, "converted", holding)
    started(holder, request, [X.astype(np.float64)] * 2)
    holder.leave.set()
    request.wait()
    shows(holder, request, Stage.PREPROCESS)


@pytest.mark.parametrize("is_looked_at", [False, True])
def test_a_run_that_commits_is_not_cancelled(is_looked_at: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether its outputs are written to tensors, or kept until somebody looks."""
    holder, commit = Holder(), Job.commit

    def holding(self: Job) -> None:
        holder.hold()
        commit(self)

    request = compiled_for("NPU").create_infer_request()
    if is_looked_at:
        request.get_output_tensor(0)
    monkeypatch.setattr(Job, "commit", holding)
    assert not cancelled_at(holder, request, [X, X])
    request.wait()
    assert (request.outcome, request.cancel()) == (Outcome.DONE, False)
    np.testing.assert_array_equal(request.results[0], X * 0)


def test_a_cancelled_run_leaves_its_batch_and_the_other_runs_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is held with the line's lock released, as any that waits, so that who cancels can wake it."""
    waits, wait = threading.Event(), Groups._wait

    def noted(self: Groups, item: Any) -> None:
        waits.set()  # with the lock held, which cancelling needs to wake it
        wait(self, item)

    model = compiled_for("BATCH:CPU(3)")
    model.set_property({"AUTO_BATCH_TIMEOUT": 3_600_000})
    gone, *others = (model.create_infer_request() for _ in range(4))
    monkeypatch.setattr(Groups, "_wait", noted)
    gone.start_async([X, X])
    assert waits.wait(LONG)
    assert gone.cancel()
    with pytest.raises(RequestCancelled):
        gone.wait()
    assert gone.outcome is Outcome.CANCELLED
    for request in others:
        request.start_async([X + 1, X])
    for request in others:
        request.wait()
        np.testing.assert_array_equal(request.results[0], X)
