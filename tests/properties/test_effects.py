"""Properties that the runtime and the CPU see to: what each does."""

from __future__ import annotations

import platform
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from lite_delegate import DelegateExecuteError, FallbackError, InputError, PropertyError, make_stateful
from lite_delegate.devices.core import Core
from lite_delegate.inference import StateInfo
from lite_delegate.properties import Layer
from tests.inference.executor.test_streams import at_once
from tests.inference.holding import Gate, HoldingDelegate
from tests.inference.state.cells import START, recurrent_cell, steps
from tests.math_threads import numpy_threads
from tests.runtime.failing import MARK, Failing, FailingKernel, raising
from tests.runtime.graphs import chain

X = np.arange(6, dtype=np.float32).reshape(2, 3)
PARTS = "HETERO:chip,CPU"


def core_with(delegate: Failing) -> Core:
    core = Core()
    core.register_device("chip", lambda options: delegate)
    return core


@pytest.mark.shows("runtime", "STATE_BUFFERS")
@pytest.mark.parametrize(("value", "copies"), [("SEPARATE", 2), ("shared", 0)])
def test_buffers_of_states(value: str, copies: int) -> None:
    core = Core()
    core.set_property({"STATE_BUFFERS": value})
    model = make_stateful(recurrent_cell(), {"before": "after"}, {"before": START})
    request = core.compile_model(model, "CPU").create_infer_request()
    request.infer([steps(1)[0]])
    assert len([each for each in request.copies if isinstance(each.port, StateInfo)]) == copies


@pytest.mark.shows("runtime", "ON_DEVICE_ERROR")
def test_a_device_that_fails_raises_or_the_cpu_runs_instead_and_this_can_be_switched() -> None:
    core = core_with(Failing(raising(DelegateExecuteError("hot"))))
    with pytest.raises(DelegateExecuteError, match="hot"):
        core.compile_model(chain(1), PARTS)([X])
    compiled = core.compile_model(chain(1), PARTS, {"ON_DEVICE_ERROR": "FALLBACK"})
    request = compiled.create_infer_request()
    want = core.compile_model(chain(1), "CPU")([X])[0]
    np.testing.assert_array_equal(request.infer([X])[0], want)
    compiled.set_property({"ON_DEVICE_ERROR": "RAISE"})
    with pytest.raises(DelegateExecuteError, match="hot"):
        request.infer([X])
    with pytest.raises(DelegateExecuteError, match="hot"):
        compiled([X])
    compiled.set_property({"ON_DEVICE_ERROR": "FALLBACK"})
    np.testing.assert_array_equal(request.infer([X])[0], want)
    assert compiled.explain_property("ON_DEVICE_ERROR").layer is Layer.RUNTIME


def test_who_cannot_fall_back_says_so() -> None:
    core = core_with(Failing(raising(DelegateExecuteError("hot"), 1)))
    compiled = core.compile_model(chain(1), PARTS)
    with pytest.raises(PropertyError, match="compile it again with ON_DEVICE_ERROR=FALLBACK"):
        compiled.set_property({"ON_DEVICE_ERROR": "FALLBACK"})
    assert compiled.get_property("ON_DEVICE_ERROR") == "RAISE"
    with pytest.raises(
        FallbackError, match=r"'chip' takes the whole model.* ON_DEVICE_ERROR is FALLBACK: set it to RAISE"
    ):
        core.compile_model(chain(1), "chip", {"ON_DEVICE_ERROR": "FALLBACK"})


@pytest.mark.parametrize("device", ["chip", "MULTI:chip", "AUTO:chip", "BATCH:chip(2)", "HETERO:chip"])
def test_falling_back_for_all_that_the_core_compiles_leaves_out_what_has_no_cpu_kernels(device: str) -> None:
    core = core_with(Failing(raising(DelegateExecuteError("hot"), 1)))
    core.set_property({"ON_DEVICE_ERROR": "FALLBACK"})
    assert core.compile_model(chain(1), PARTS).get_property("ON_DEVICE_ERROR") == "FALLBACK"
    compiled = core.compile_model(chain(1), device)
    assert compiled.get_property("ON_DEVICE_ERROR") == "RAISE"
    (note,) = [each for each in compiled.partition.notes if "ON_DEVICE_ERROR" in each]
    assert "ON_DEVICE_ERROR=FALLBACK of the core does not count for" in note
    core.set_property("chip", {"ON_DEVICE_ERROR": "FALLBACK"})
    with pytest.raises(FallbackError, match="takes the whole model"):
        core.compile_model(chain(1), "chip")


@pytest.mark.shows("runtime", "DISABLE_TRANSFORMATIONS")
@pytest.mark.parametrize(("value", "nodes"), [("NO", 1), ("YES", 3)])
def test_transformations_can_be_left_out(value: str, nodes: int, tmp_path: Path) -> None:
    inner = [
        helper.make_node("Transpose", ["x"], ["a"], perm=[1, 0]),
        helper.make_node("Transpose", ["a"], ["b"], perm=[1, 0]),
        helper.make_node("Relu", ["b"], ["y"]),
    ]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3]) for name in "xy")
    path, opset = tmp_path / "m.onnx", helper.make_opsetid("", 17)
    onnx.save(helper.make_model(helper.make_graph(inner, "g", [x], [y]), opset_imports=[opset]), path)
    properties = {"DISABLE_TRANSFORMATIONS": value}
    compiled = Core().compile_model(path, "CPU", properties)
    assert len(compiled.graph.nodes) == len(Core().query_model(path, "CPU", properties)) == nodes
    np.testing.assert_array_equal(compiled([X])[0], X)


def threads_seen(core: Core, device: str, properties: dict[str, object]) -> set[int]:
    seen: set[int] = set()

    def look(kernel: FailingKernel, _: int) -> None:
        seen.update(numpy_threads())
        kernel.compute()

    core.register_device("chip", lambda options: Failing(look), replace=True)
    request = core.compile_model(chain(1), device, properties).create_infer_request()
    request.infer([X])
    np.testing.assert_array_equal(request.results[0], X + MARK)
    return seen


@pytest.mark.shows("CPU", "INFERENCE_NUM_THREADS", "THREADS_PER_STREAM")
@pytest.mark.parametrize("key", ["INFERENCE_NUM_THREADS", "THREADS_PER_STREAM"])
def test_threads_of_the_cpu(key: str) -> None:
    core = Core()
    core.set_property("CPU", {key: 1})
    assert threads_seen(core, PARTS, {}) == {1}
    nested: dict[str, object] = {"DEVICE_PROPERTIES": {"CPU": {key: 2}}}
    assert threads_seen(core, PARTS, nested) == {2}
    compiled = core.compile_model(chain(1), "CPU", {key: "3"})
    assert compiled.get_property(key) == 3
    assert [each.layer for each in compiled.explain_property(key).losers] == [Layer.DEVICE, Layer.DEFAULT]


ENOUGH = 130
"""Additions that a runtime is estimated to save so much time for that nothing is measured."""


@pytest.mark.shows("CPU", "CPU_BACKENDS")
@pytest.mark.parametrize("device", ["CPU", PARTS])
def test_runtimes_of_the_cpu(device: str) -> None:
    pytest.importorskip("onnxruntime", reason="a runtime runs what is left to the CPU")
    core, graph = core_with(Failing(raising(DelegateExecuteError("hot")), ["none"])), chain(ENOUGH)
    assert core.compile_model(graph, device).partition.cpu_groups == ()
    asked = {"DEVICE_PROPERTIES": {"CPU": {"CPU_BACKENDS": "onnxruntime"}}}
    (group,) = core.compile_model(graph, device, asked).partition.cpu_groups
    assert (group.device, len(group.kernels)) == ("CPU (onnxruntime)", ENOUGH)
    core.set_property("CPU", {"CPU_BACKENDS": "AUTO"})
    compiled = core.compile_model(graph, device)
    assert len(compiled.partition.cpu_groups) == 1
    np.testing.assert_array_equal(compiled([X])[0], X + ENOUGH * (ENOUGH + 1) / 2)
    with pytest.raises(PropertyError, match="CPU_BACKENDS must be NONE, AUTO, ONNXRUNTIME or OPENVINO"):
        core.set_property("CPU", {"CPU_BACKENDS": "TFLITE"})


@pytest.mark.shows("CPU", "NUM_STREAMS")
@pytest.mark.parametrize("value", ["2", 2])
def test_runs_at_once_of_the_cpu(value: object) -> None:
    gate, core = Gate(), Core()
    core.register_device("chip", lambda options: HoldingDelegate(gate, ["n0"]))
    core.set_property("CPU", {"NUM_STREAMS": value})
    compiled = core.compile_model(chain(1), PARTS)
    assert compiled.get_property("NUM_STREAMS") == 2
    assert compiled.optimal_requests != 2
    assert at_once(compiled, gate, 2) == 2
    assert (
        core.compile_model(chain(1), PARTS, {"DEVICE_PROPERTIES": {"CPU": {"NUM_STREAMS": "auto"}}}).get_property(
            "NUM_STREAMS"
        )
        == "AUTO"
    )


@pytest.mark.parametrize(
    ("npu", "cpu", "streams"),
    [({}, {"NUM_STREAMS": 3}, 3), ({"NUM_STREAMS": 2}, {"NUM_STREAMS": 3}, 2), ({}, {}, "AUTO")],
)
def test_of_devices_that_share_a_model_the_first_whose_runs_at_once_are_set_counts(
    npu: dict[str, object], cpu: dict[str, object], streams: object
) -> None:
    parts = {"DEVICE_PROPERTIES": {"NPU": npu, "CPU": cpu}}
    assert Core().compile_model(chain(1), "HETERO:NPU,CPU", parts).get_property("NUM_STREAMS") == streams


def test_threads_that_contradict_each_other() -> None:
    core = Core()
    core.set_property("CPU", {"INFERENCE_NUM_THREADS": 6, "THREADS_PER_STREAM": 2, "NUM_STREAMS": 3})
    with pytest.raises(PropertyError, match="NUM_STREAMS 4 of THREADS_PER_STREAM 2 are 8 threads, more than INFERENCE"):
        core.set_property("CPU", {"NUM_STREAMS": 4})
    core = Core()
    wrong = {"INFERENCE_NUM_THREADS": 2, "THREADS_PER_STREAM": 3}
    with pytest.raises(PropertyError, match="THREADS_PER_STREAM 3 is more than INFERENCE_NUM_THREADS 2"):
        core.set_property("CPU", wrong)
    assert core.get_property("CPU", "INFERENCE_NUM_THREADS") == 0
    with pytest.raises(PropertyError, match="lower the one"):
        core.compile_model(chain(1), "CPU", wrong)


@pytest.mark.shows("CPU", "SUPPORTED_PROPERTIES", "FULL_DEVICE_NAME", "DEVICE_ARCHITECTURE")
def test_the_cpu_tells_what_it_is_and_what_it_has() -> None:
    core = Core()
    names = core.get_property("CPU", "SUPPORTED_PROPERTIES")
    assert names == core.get_property("cpu", "supported_metrics")
    assert isinstance(names, tuple)
    assert {"INFERENCE_NUM_THREADS", "THREADS_PER_STREAM", "CACHE_DIR", "DISABLE_TRANSFORMATIONS"} <= set(names)
    assert core.get_property("CPU", "DEVICE_ARCHITECTURE") == platform.machine()
    assert core.get_property("CPU", "FULL_DEVICE_NAME")
    with pytest.raises(PropertyError, match="can only be read"):
        core.set_property("CPU", {"FULL_DEVICE_NAME": "mine"})
    with pytest.raises(PropertyError, match=r"The CPU has no property 'NPU_TILES'"):
        core.set_property("CPU", {"NPU_TILES": 1})
    with pytest.raises(InputError, match=r"The CPU has no property 'NPU_TILES'"):
        core.compile_model(chain(1), "HETERO:NPU,CPU", {"DEVICE_PROPERTIES": {"CPU": {"NPU_TILES": 1}}})


def test_a_device_lists_what_the_runtime_sees_to_for_it() -> None:
    core = Core()
    names = core.get_property("NPU", "SUPPORTED_PROPERTIES")
    assert isinstance(names, tuple)
    assert {"NPU_TILES", "CACHE_DIR", "STATE_BUFFERS", "ON_DEVICE_ERROR"} <= set(names)
    assert len(names) == len(set(names))


@pytest.mark.parametrize("own", [{"ENABLE_RUNTIME_FALLBACK": "NO"}, {"ENABLE_STARTUP_FALLBACK": "NO"}])
def test_what_is_of_auto_is_not_taken_for_a_property_of_its_devices(own: dict[str, object]) -> None:
    compiled = Core().compile_model(chain(1), "AUTO:NPU,CPU", own)
    compiled([X])
    compiled.close()


def working(kernel: FailingKernel, _: int) -> None:
    kernel.compute()


@pytest.mark.shows("core", "ENABLE_STARTUP_FALLBACK")
def test_on_the_core_whether_auto_waits_for_its_device() -> None:
    core = core_with(Failing(working))
    core.set_property({"ENABLE_STARTUP_FALLBACK": "NO"})
    compiled = core.compile_model(chain(1), "AUTO:chip,CPU")
    assert not hasattr(compiled, "auto")
    assert compiled.get_property("EXECUTION_DEVICES") == ("chip",)
    other = core.compile_model(chain(1), "AUTO:chip,CPU", {"enable_startup_fallback": "YES"})
    assert hasattr(other, "auto")
    other.close()


@pytest.mark.shows("core", "ENABLE_RUNTIME_FALLBACK")
@pytest.mark.parametrize("value", ["YES", "NO"])
def test_on_the_core_whether_a_run_that_fails_is_repeated(value: str) -> None:
    core = core_with(Failing(raising(DelegateExecuteError("hot"))))
    core.set_property({"ENABLE_RUNTIME_FALLBACK": value})
    compiled = core.compile_model(chain(1), "AUTO:chip,CPU")
    assert hasattr(compiled, "auto")
    assert compiled.wait_ready(60)
    if value == "YES":
        np.testing.assert_array_equal(compiled([X])[0], X + 1)
    else:
        with pytest.raises(DelegateExecuteError, match="hot"):
            compiled([X])
    compiled.close()


@pytest.mark.shows("core", "SCHEDULE_POLICY")
@pytest.mark.parametrize(("policy", "runs"), [("DEVICE_PRIORITY", (4, 0)), ("ROUND_ROBIN", (2, 2))])
def test_on_the_core_who_gets_the_next_run(policy: str, runs: tuple[int, int]) -> None:
    core = core_with(Failing(working))
    core.register_device("other", lambda options: Failing(working))
    core.set_property({"SCHEDULE_POLICY": policy})
    compiled = core.compile_model(chain(1), "MULTI:chip,other")
    assert hasattr(compiled, "multi")
    for _ in range(4):
        compiled([X])
    assert tuple(compiled.multi.runs.values()) == runs
    compiled.close()


def test_on_the_core_how_long_a_run_waits_for_others() -> None:
    core = Core()
    core.set_property({"AUTO_BATCH_TIMEOUT": 7})
    calls: list[tuple[dict[str, object], int]] = [({}, 7), ({"AUTO_BATCH_TIMEOUT": "8"}, 8)]
    for call, want in calls:
        compiled = core.compile_model(chain(1), "BATCH:CPU(2)", call)
        assert compiled.get_property("AUTO_BATCH_TIMEOUT") == want
        compiled.close()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"ENABLE_STARTUP_FALLBACK": "MAYBE"}, "YES or NO"),
        ({"SCHEDULE_POLICY": "RANDOM"}, "DEVICE_PRIORITY or ROUND_ROBIN"),
        ({"AUTO_BATCH_TIMEOUT": -1}, "an integer, from 0"),
    ],
)
def test_what_is_of_devices_made_of_others_is_checked_when_it_is_set(wrong: dict[str, object], message: str) -> None:
    core = Core()
    with pytest.raises(PropertyError, match=message):
        core.set_property({"ENABLE_RUNTIME_FALLBACK": "NO", **wrong})
    assert core.get_property("ENABLE_RUNTIME_FALLBACK") is True


@pytest.mark.shows("NPU", "DEVICE_ID")
@pytest.mark.parametrize(("identity", "name"), [("4000", "NPU 4000"), ("3720", "NPU 3720")])
def test_the_identity_of_a_device_chooses_it(identity: str, name: str) -> None:
    compiled = Core().compile_model(chain(1), "NPU", {"DEVICE_ID": identity})
    assert name in str(compiled.get_property("FULL_DEVICE_NAME"))
    assert compiled.get_property("EXECUTION_DEVICES") == (f"NPU.{identity}",)
    assert compiled.explain_property("DEVICE_ID").layer is Layer.FLAT
    core = Core()
    core.set_property("NPU", {"DEVICE_ID": identity})
    assert name in str(core.get_property("NPU", "FULL_DEVICE_NAME"))
    assert core.get_property("NPU", "DEVICE_ID") == identity
    found = core.compile_model(chain(1), "HETERO:NPU,CPU")
    assert (found.get_property("EXECUTION_DEVICES"), found.get_property("DEVICE_ID")) == (
        (f"NPU.{identity}",),
        identity,
    )
    assert set(core.query_model(chain(1), "NPU").values()) == {f"NPU.{identity}"}
    both = core.compile_model(chain(1), "MULTI:NPU,CPU")
    assert both.get_property("EXECUTION_DEVICES") == (f"NPU.{identity}", "CPU")
    both.close()


def test_an_identity_in_the_name_is_read_back_and_contradicts_another_one() -> None:
    core = Core()
    compiled = core.compile_model(chain(1), "NPU.3720")
    assert compiled.get_property("DEVICE_ID") == core.get_property("NPU.3720", "DEVICE_ID") == "3720"
    with pytest.raises(InputError, match=r"'NPU\.3720' has its id in its name, but DEVICE_ID is '4000': leave one"):
        core.compile_model(chain(1), "NPU.3720", {"DEVICE_ID": "4000"})
    twice = {"DEVICE_PROPERTIES": {"NPU": {"DEVICE_ID": "3720"}}}
    with pytest.raises(InputError, match=r"'NPU\.3720' is there twice, as DEVICE_ID says"):
        core.compile_model(chain(1), "HETERO:NPU.3720,NPU,CPU", twice)
    with pytest.raises(InputError, match="No NPU profile '9999'"):
        core.set_property("NPU", {"DEVICE_ID": "9999"})


def test_one_of_several_simulated_devices_is_chosen_and_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITE_DELEGATE_NPU_DEVICES", "4000,4000,3720")
    core = Core()
    second = core.compile_model(chain(1), "NPU", {"DEVICE_ID": "4000.1"})
    assert second.get_property("EXECUTION_DEVICES") == ("NPU.4000.1",)
    names = ("NPU.4000.0", "NPU.4000.1", "NPU.3720.0")
    assert len({core.get_property(name, "DEVICE_UUID") for name in names}) == 3
    assert core.get_property("NPU.4000", "DEVICE_UUID") == core.get_property("NPU.4000.0", "DEVICE_UUID")
    addresses = [core.get_property(name, "DEVICE_PCI_INFO") for name in names]
    assert addresses == [{"domain": 0, "bus": bus, "device": 0, "function": 0} for bus in (0, 1, 2)]
    assert core.get_property("NPU", "AVAILABLE_DEVICES") == ("4000.0", "4000.1", "3720.0")


def test_a_device_is_known_by_its_place_among_all_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITE_DELEGATE_NPU_DEVICES", "4000,4000,3720")
    core = Core()
    for number, full in enumerate(("4000.0", "4000.1", "3720.0")):
        same = core.get_property(f"NPU.{full}", "DEVICE_UUID")
        assert core.get_property(f"NPU.{number}", "DEVICE_UUID") == same
        for name, given in (("DEVICE_ID", number), ("device_id", str(number))):
            compiled = core.compile_model(chain(1), "NPU", {name: given})
            assert compiled.get_property("DEVICE_UUID") == same
            assert compiled.get_property("EXECUTION_DEVICES") == (f"NPU.{number}",)
    core.set_property("NPU", {"DEVICE_ID": 2})
    assert core.get_property("NPU", "DEVICE_ARCHITECTURE") == "3720"
    assert core.get_property("NPU", "DEVICE_ID") == "2"
    with pytest.raises(InputError, match=r"no NPU '3': LITE_DELEGATE_NPU_DEVICES lists 4000\.0, 4000\.1, 3720\.0"):
        core.compile_model(chain(1), "NPU.3")
    both = core.compile_model(chain(1), "MULTI:NPU.0,NPU.2")
    assert both.get_property("EXECUTION_DEVICES") == ("NPU.0", "NPU.2")
    both.close()


def test_the_only_device_is_number_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LITE_DELEGATE_NPU_DEVICES", raising=False)
    core = Core()
    assert core.get_property("NPU.0", "DEVICE_UUID") == core.get_property("NPU", "DEVICE_UUID")
    with pytest.raises(InputError, match="no NPU '1': LITE_DELEGATE_NPU_DEVICES can list more than one"):
        core.compile_model(chain(1), "NPU.1")
