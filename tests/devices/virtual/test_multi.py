"""MULTI: runs are shared out among devices that each have the whole model."""

from __future__ import annotations

import gc
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

from lite_delegate import (
    Core,
    Delegate,
    DelegateUnavailable,
    DelegateWarning,
    DeviceLost,
    FallbackError,
    InputError,
    PropertyError,
    RequestCancelled,
)
from lite_delegate.devices.virtual.multi import MultiDevices
from lite_delegate.inference import CompiledModel, Outcome, Stage
from lite_delegate.testing.delegates import NamedDelegate
from tests.runtime.failing import MARK, Behavior, Failing, FailingKernel, raising
from tests.runtime.graphs import chain

X = np.zeros((2, 3), np.float32)
LONG = 60


class Sized(Failing):
    """Has room for some runs at once."""

    def __init__(self, behave: Behavior, room: int) -> None:
        super().__init__(behave)
        self._room = room

    def optimal_requests(self) -> int:
        return self._room


class Held:
    """A device whose runs wait until they are let go."""

    def __init__(self, room: int) -> None:
        self.begun, self.go = threading.Semaphore(0), threading.Event()
        self.delegate = Sized(self._behave, room)

    def _behave(self, kernel: FailingKernel, number: int) -> None:
        self.begun.release()
        assert self.go.wait(LONG)
        kernel.compute()


def working(room: int = 1) -> Sized:
    return Sized(lambda kernel, number: kernel.compute(), room)


def multi(devices: Mapping[str, Delegate], properties: Mapping[str, object] = {}, names: str = "") -> CompiledModel:
    core = Core()
    for name, delegate in devices.items():
        core.register_device(name, partial(_given, delegate))
    compiled = core.compile_model(chain(2), f"MULTI:{names or ','.join(devices)}", properties)
    assert hasattr(compiled, "multi")
    return compiled


def _given(delegate: Delegate, options: Mapping[str, object]) -> Delegate:
    return delegate


def places(compiled: CompiledModel, count: int) -> list[str]:
    found = []
    request = compiled.create_infer_request()
    for _ in range(count):
        np.testing.assert_array_equal(request.infer([X])[0], X + MARK)
        found.append(request.device)
    return found


def test_one_run_at_a_time_goes_to_the_first_device() -> None:
    compiled = multi({"a": working(), "b": working()})
    assert places(compiled, 4) == ["a"] * 4
    assert compiled.multi.runs == {"a": 4, "b": 0}


def test_devices_take_turns() -> None:
    compiled = multi({"a": working(), "b": working(), "c": working()}, {"schedule_policy": "round_robin"})
    assert places(compiled, 7) == ["a", "b", "c", "a", "b", "c", "a"]
    assert compiled.multi.runs == {"a": 3, "b": 2, "c": 2}


def test_calls_and_requests_share_the_devices() -> None:
    compiled = multi({"a": working(), "b": working()}, {"SCHEDULE_POLICY": "ROUND_ROBIN"})
    compiled([X])
    assert places(compiled, 1) == ["b"]


def test_what_is_full_is_passed_over_and_what_comes_then_waits() -> None:
    a, b = Held(2), Held(1)
    compiled = multi({"a": a.delegate, "b": b.delegate})
    assert compiled.optimal_requests == 3
    requests = [compiled.create_infer_request() for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        runs = []
        for request, device in zip(requests[:3], (a, a, b), strict=True):
            runs.append(threads.submit(request.infer, [X]))
            assert device.begun.acquire(timeout=LONG)
        runs.append(threads.submit(requests[3].infer, [X]))
        b.go.set()
        assert b.begun.acquire(timeout=LONG)  # the fourth follows where there is room first
        a.go.set()
        for run in runs:
            np.testing.assert_array_equal(run.result(LONG)[0], X + MARK)
    assert [request.device for request in requests] == ["a", "a", "b", "b"]
    waited = requests[3].profile
    assert waited is not None
    assert waited.stages[Stage.QUEUE] > 0
    assert sum(waited.stages.values()) == waited.latency_ns


def test_a_run_that_waits_for_a_device_can_be_cancelled() -> None:
    held = Held(1)
    compiled = multi({"a": held.delegate})
    first, second = (compiled.create_infer_request() for _ in range(2))
    with ThreadPoolExecutor(2) as threads:
        run = threads.submit(first.infer, [X])
        assert held.begun.acquire(timeout=LONG)
        waiting = threads.submit(second.infer, [X])
        while not second.cancel():
            pass
        with pytest.raises(RequestCancelled):
            waiting.result(LONG)
        held.go.set()
        run.result(LONG)
    assert (first.outcome, second.outcome) == (Outcome.DONE, Outcome.CANCELLED)


def test_a_lost_device_gets_no_more_runs() -> None:
    compiled = multi({"a": Sized(raising(DeviceLost("gone.")), 1), "b": working()})
    with pytest.warns(DelegateWarning, match="MULTI: no run goes to device 'a' any more: .*gone"):
        assert places(compiled, 3) == ["b"] * 3
    assert (compiled.multi.runs, compiled.multi.repeated) == ({"a": 0, "b": 3}, 1)
    assert "gone" in compiled.multi.failed["a"]
    assert compiled.get_property("EXECUTION_DEVICES") == ("b",)
    assert "MULTI: b: 3 runs" in compiled.partition.notes


def test_the_last_device_s_error_is_the_user_s() -> None:
    compiled = multi({"a": Sized(raising(DeviceLost("gone.")), 1)})
    with pytest.raises(DeviceLost, match="gone"):
        compiled([X])


def test_a_run_is_not_repeated_where_that_is_switched_off() -> None:
    devices = {"a": Sized(raising(DeviceLost("gone.")), 1), "b": working()}
    compiled = multi(devices, {"ENABLE_RUNTIME_FALLBACK": "NO"})
    with pytest.raises(DeviceLost, match="gone"):
        compiled([X])


def test_every_device_takes_the_whole_model_or_is_left_out_on_request() -> None:
    devices = {"a": working(), "b": NamedDelegate(["n0"])}
    with pytest.raises(FallbackError, match="n1"):
        multi(devices)
    with pytest.warns(DelegateWarning, match="MULTI leaves device 'b' out"):
        compiled = multi(devices, {"ENABLE_STARTUP_FALLBACK": "YES"})
    assert compiled.multi.runs == {"a": 0}


def test_a_device_that_is_absent() -> None:
    class Absent(NamedDelegate):
        def init(self) -> None:
            raise DelegateUnavailable("no cable")

    with pytest.raises(DelegateUnavailable, match="no cable"):
        multi({"a": Absent(), "b": working()})


@pytest.mark.parametrize(
    ("properties", "said"),
    [
        ({"SCHEDULE_POLICY": "RANDOM"}, "SCHEDULE_POLICY must be DEVICE_PRIORITY or ROUND_ROBIN; got 'RANDOM'"),
        ({"TURBO": 1}, "is made of other devices: say whose TURBO is meant"),
    ],
)
def test_bad_properties(properties: Mapping[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        multi({"a": working()}, properties)


def test_with_the_cpu_results_are_equal_and_many_threads_use_both() -> None:
    compiled = multi({"a": working(2)}, names="a,CPU")
    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(lambda _: float(compiled([X])[0][0, 0]), range(200)))
    assert set(results) <= {MARK, 3.0}
    assert sum(compiled.multi.runs.values()) == 200
    compiled.close()


def models_of(compiled: CompiledModel) -> tuple[CompiledModel, ...]:
    devices = compiled.setup.devices
    assert isinstance(devices, MultiDevices)
    return devices.models


def priorities(*given: str) -> CompiledModel:
    core = Core()
    nested = {"DEVICE_PROPERTIES": {f"NPU.4000.{n}": {"MODEL_PRIORITY": each} for n, each in enumerate(given)}}
    compiled = core.compile_model(chain(2), "MULTI:NPU.4000.0,NPU.4000.1,CPU", nested)
    assert hasattr(compiled, "multi")
    return compiled


def test_properties_are_set_on_every_device_that_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITE_DELEGATE_NPU_DEVICES", "4000,4000")
    compiled = priorities("LOW", "MEDIUM")
    assert compiled.get_property("MODEL_PRIORITY") == "LOW"
    compiled.set_property({"MODEL_PRIORITY": "HIGH"})
    models = models_of(compiled)
    assert [model.get_property("MODEL_PRIORITY") for model in models[:2]] == ["HIGH", "HIGH"]


def test_where_one_device_does_not_take_a_value_none_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITE_DELEGATE_NPU_DEVICES", "4000,4000")
    compiled = priorities("LOW", "MEDIUM")
    models = models_of(compiled)

    def fails(properties: Mapping[str, object]) -> None:
        raise PropertyError("not now")

    monkeypatch.setattr(models[1], "set_property", fails)
    with pytest.raises(PropertyError, match="not now"):
        compiled.set_property({"MODEL_PRIORITY": "HIGH"})
    assert [model.get_property("MODEL_PRIORITY") for model in models[:2]] == ["LOW", "MEDIUM"]
    with pytest.raises(PropertyError, match="TURBO"):
        compiled.set_property({"TURBO": 1, "MODEL_PRIORITY": "HIGH"})
    assert models[0].get_property("MODEL_PRIORITY") == "LOW"


def test_the_model_goes_when_nobody_has_it() -> None:
    delegate = working()
    closed = []
    delegate.close = lambda: closed.append(1)  # type: ignore[method-assign]
    compiled = multi({"a": delegate})
    compiled([X])
    del compiled
    gc.collect()
    assert closed == [1]
