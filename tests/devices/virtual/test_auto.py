from __future__ import annotations

import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import (
    Core,
    DelegateBuildError,
    DelegateModel,
    DelegateWarning,
    DeviceLost,
    FallbackError,
    Kernel,
    PropertyError,
    cancel_point,
    make_stateful,
)
from lite_delegate.inference import CompiledModel
from lite_delegate.inference.model.status import DeviceState
from lite_delegate.ir import Graph
from lite_delegate.properties import Choice, Integer, Layer, PropertySpec
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate
from tests.inference.state.cells import recurrent_cell, steps
from tests.runtime.failing import Failing, raising
from tests.runtime.graphs import chain

X = np.zeros((2, 3), np.float32)


class Slow(NamedDelegate):
    """Compiles when it is let."""

    def __init__(self, names: Sequence[str] | None = None) -> None:
        super().__init__(names)
        self.begun, self.go = threading.Event(), threading.Event()

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        self.begun.set()
        assert self.go.wait(60)
        return super().create_graph_kernel(run, model)


class Failed(NamedDelegate):
    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        raise DelegateBuildError("no room")


def auto(delegate: NamedDelegate, properties: Mapping[str, object] = {}, graph: Graph | None = None) -> CompiledModel:
    core = Core()
    core.register_device("chip", lambda options: delegate)
    compiled = core.compile_model(chain(2) if graph is None else graph, "AUTO:chip,CPU", properties)
    assert hasattr(compiled, "auto")
    return compiled


def states(compiled: CompiledModel) -> list[tuple[str, str]]:
    return [(name, each.state) for name, each in compiled.auto.status.items()]


def test_the_cpu_serves_while_another_device_compiles() -> None:
    delegate = Slow()
    compiled = auto(delegate)
    request = compiled.create_infer_request()
    assert delegate.begun.wait(60)
    np.testing.assert_array_equal(request.infer([X])[0], X + 3)
    assert request.device == compiled.auto.active == "CPU"
    assert states(compiled) == [("chip", "compiling"), ("CPU", "standing in")]
    assert not compiled.wait_ready(0)
    assert len(compiled.graph_kernels) == 0
    delegate.go.set()
    assert compiled.wait_ready(60)
    np.testing.assert_array_equal(request.infer([X])[0], X + 3)
    assert request.device == compiled.auto.active == "chip"
    assert states(compiled) == [("chip", "active"), ("CPU", "unused")]
    assert [node.device for node in compiled.partition.nodes] == ["chip", "chip"]
    assert compiled.partition.notes[:2] == ("AUTO: chip: active", "AUTO: CPU: unused")
    request.start_async([X + 1])
    request.wait()
    np.testing.assert_array_equal(request.results[0], X + 4)
    compiled.close()


def recurrent() -> Graph:
    return make_stateful(recurrent_cell(), {"before": "after"})


def on_the_cpu(xs: Sequence[Array]) -> list[Array]:
    request = Core().compile_model(recurrent(), "CPU").create_infer_request()
    return [np.array(request.infer([x])[0]) for x in xs]


def test_what_a_request_keeps_goes_over_with_it() -> None:
    delegate, xs = Slow(), steps(5)
    compiled = auto(delegate, graph=recurrent())
    request = compiled.create_infer_request()
    found, devices = [], []
    for number, x in enumerate(xs):
        if number == 2:
            delegate.go.set()
            assert compiled.wait_ready(60)
        found.append(np.array(request.infer([x])[0]))
        devices.append(request.device)
    assert devices == ["CPU", "CPU", "chip", "chip", "chip"]
    np.testing.assert_array_equal(found, on_the_cpu(xs))


def test_a_run_that_fails_on_the_device_changes_no_state() -> None:
    class Half(NamedDelegate):
        calls = 0

        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            class Lost(GroupKernel):
                def execute(self) -> None:
                    super().execute()
                    Half.calls += 1
                    if Half.calls == 3:
                        raise DeviceLost("gone.")

            return Lost("Lost", model.boundary_of(run), run)

    xs = steps(5)
    compiled = auto(Half(), graph=recurrent())
    assert compiled.wait_ready(60)
    request = compiled.create_infer_request()
    with pytest.warns(DelegateWarning, match="the CPU runs instead"):
        found = [np.array(request.infer([x])[0]) for x in xs]
    assert request.device == "CPU"
    np.testing.assert_array_equal(found, on_the_cpu(xs))


def test_properties_are_those_of_the_device_that_runs_go_to() -> None:
    compiled = Core().compile_model(chain(2), "AUTO:NPU,CPU")
    assert hasattr(compiled, "auto")
    assert compiled.wait_ready(60)
    compiled.set_property({"MODEL_PRIORITY": "HIGH"})
    assert compiled.get_property("MODEL_PRIORITY") == "HIGH"
    assert compiled.get_property("EXECUTION_DEVICES") == ("NPU",)


class Moody(Slow):
    """Has a property that can be changed at run time."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[Mapping[str, object]] = []

    def properties(self) -> Sequence[PropertySpec]:
        return (
            PropertySpec("MOOD", "how it feels", Choice(("CALM", "LOUD", "MAD")), "CALM", scope="dc", when="R"),
            PropertySpec("SIZE", "how large it is", Integer(1, 9), 1, scope="dc", when="C"),
        )

    def set_run_time_properties(self, kernels: Sequence[Kernel], properties: Mapping[str, object]) -> None:
        self.heard.append(dict(properties))
        if properties["MOOD"] == "MAD":
            raise PropertyError("never mad.")


def test_what_is_set_while_the_cpu_stands_in_reaches_the_device_after_it() -> None:
    delegate = Moody()
    compiled = auto(delegate)
    for wrong in ({"MOOD": "SAD"}, {"MOOD": "LOUD", "MOOT": 1}, {"SIZE": 2}):
        with pytest.raises(PropertyError, match=r"MOOD must be CALM, LOUD|no property 'MOOT'|no property 'SIZE'"):
            compiled.set_property(wrong)
    compiled.set_property({"mood": "loud"})
    assert (compiled.get_property("MOOD"), delegate.heard) == ("LOUD", [])
    assert compiled.explain_property("MOOD").layer is Layer.RUNTIME
    delegate.go.set()
    assert compiled.wait_ready(60)
    assert (compiled.get_property("MOOD"), delegate.heard) == ("LOUD", [{"MOOD": "LOUD"}])
    compiled.set_property({"MOOD": "CALM"})
    assert (compiled.get_property("MOOD"), delegate.heard[1:]) == ("CALM", [{"MOOD": "CALM"}])


def test_a_device_that_does_not_take_what_was_set_runs_all_the_same() -> None:
    delegate = Moody()
    compiled = auto(delegate)
    compiled.set_property({"MOOD": "MAD"})

    def ready() -> bool:
        delegate.go.set()
        return compiled.wait_ready(60)

    with pytest.warns(DelegateWarning, match="AUTO: device 'chip' does not take the properties that were set"):
        assert ready()
    assert (compiled.auto.active, compiled.get_property("MOOD")) == ("chip", "CALM")


def test_a_device_that_cannot_be_compiled_for_leaves_the_cpu() -> None:
    def compiled_for_it() -> CompiledModel:
        compiled = auto(Failed())
        with pytest.raises(FallbackError, match="no room"):
            compiled.wait_ready(60)
        return compiled

    with pytest.warns(DelegateWarning, match=r"AUTO: device 'chip' failed, the CPU goes on: .*no room") as heard:
        compiled = compiled_for_it()
    assert len([each for each in heard if "AUTO" in str(each.message)]) == 1
    assert states(compiled) == [("chip", "failed"), ("CPU", "active")]
    assert "no room" in compiled.auto.status["chip"].reason
    request = compiled.create_infer_request()
    np.testing.assert_array_equal(request.infer([X])[0], X + 3)


def test_a_device_that_does_not_take_the_whole_model_is_passed_over() -> None:
    delegate = Slow(["n0"])
    compiled = auto(delegate)

    def compile_now() -> None:
        delegate.go.set()
        assert compiled.wait_ready(60)

    with pytest.warns(DelegateWarning, match="AUTO: device 'chip' is passed over"):
        compile_now()
    assert states(compiled) == [("chip", "passed over"), ("CPU", "active")]


def test_a_run_that_loses_its_device_is_repeated_on_the_cpu() -> None:
    compiled = auto(Failing(raising(DeviceLost("gone."))))
    assert compiled.wait_ready(60)
    request = compiled.create_infer_request()
    with pytest.warns(DelegateWarning, match="AUTO: the CPU runs instead of device 'chip'"):
        np.testing.assert_array_equal(request.infer([X])[0], X + 3)
    assert (request.device, compiled.auto.repeated) == ("CPU", 1)
    assert compiled.auto.status["chip"].state is DeviceState.FAILED
    np.testing.assert_array_equal(request.infer([X])[0], X + 3)
    assert compiled.auto.repeated == 1


def test_a_run_is_not_repeated_where_that_is_switched_off() -> None:
    compiled = auto(Failing(raising(DeviceLost("gone."))), {"ENABLE_RUNTIME_FALLBACK": "NO"})
    assert compiled.wait_ready(60)
    with pytest.raises(DeviceLost):
        compiled.create_infer_request().infer([X])


def test_closing_cancels_compiling() -> None:
    class Endless(NamedDelegate):
        begun = threading.Event()

        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            self.begun.set()
            while True:
                cancel_point()
                time.sleep(0.001)

    compiled = auto(Endless())
    assert Endless.begun.wait(60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled.close()
    assert compiled.auto.status["chip"].state is not DeviceState.FAILED
    assert not [each for each in threading.enumerate() if each.name == "lite_delegate AUTO" and each.is_alive()]


def test_closing_ends_compiling() -> None:
    delegate = Slow()
    before = threading.active_count()
    compiled = auto(delegate)
    assert delegate.begun.wait(60)
    threading.Timer(0.05, delegate.go.set).start()
    compiled.close()
    assert compiled.auto.active == "CPU"
    assert not [each for each in threading.enumerate() if each.name == "lite_delegate AUTO" and each.is_alive()]
    assert threading.active_count() <= before + 1


def test_what_is_exported_is_of_the_device_that_runs_go_to() -> None:
    core = Core()
    compiled = core.compile_model(chain(2), "AUTO:NPU,CPU")
    assert hasattr(compiled, "auto")
    compiled.wait_ready()
    assert core.check_compatibility(compiled.export_model(), compiled.auto.active).verdict == "supported"
    assert compiled.auto.active == "NPU"


def test_a_process_that_ends_while_a_device_is_compiled_for_ends_at_once_and_says_nothing() -> None:
    code = """
import subprocess
import sys
import threading
from lite_delegate import Core, cancel_point
from lite_delegate.testing.delegates import NamedDelegate
from tests.runtime.graphs import chain

class Endless(NamedDelegate):
    def create_graph_kernel(self, run, model):
        begun.set()
        while True:
            cancel_point()

begun, core = threading.Event(), Core()
core.register_device("endless", lambda options: Endless(None))
compiled = core.compile_model(chain(2), "AUTO:endless,CPU")
begun.wait()
print(compiled.auto.active)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "CPU\n", "")


def test_a_device_that_needs_bounds_is_passed_over_where_dimensions_are_open() -> None:
    core = Core()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DelegateWarning)
        compiled = core.compile_model(chain(2, (-1, 3)), "AUTO:NPU,CPU")
        assert hasattr(compiled, "auto")
        compiled.wait_ready()
    assert states(compiled)[0] == ("NPU", DeviceState.PASSED_OVER)
    assert "(UNBOUNDED)" in compiled.auto.status["NPU"].reason
