"""Properties that the runtime and the CPU see to: what each does."""

from __future__ import annotations

import platform
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from threadpoolctl import threadpool_info

from lite_delegate import DelegateExecuteError, FallbackError, InputError, PropertyError, make_stateful
from lite_delegate.core import Core
from lite_delegate.inference import StateInfo
from lite_delegate.properties import Layer
from tests.inference.state.cells import START, recurrent_cell, steps
from tests.runtime.failing import MARK, Failing, FailingKernel, raising
from tests.runtime.graphs import chain

X = np.arange(6, dtype=np.float32).reshape(2, 3)
PARTS = "HETERO:chip,CPU"


def core_with(delegate: Failing) -> Core:
    core = Core()
    core.register_device("chip", lambda options: delegate)
    return core


@pytest.mark.parametrize(("value", "copies"), [("SEPARATE", 2), ("shared", 0)])
def test_buffers_of_states(value: str, copies: int) -> None:
    core = Core()
    core.set_property({"STATE_BUFFERS": value})
    model = make_stateful(recurrent_cell(), {"before": "after"}, {"before": START})
    request = core.compile_model(model, "CPU").create_infer_request()
    request.infer([steps(1)[0]])
    assert len([each for each in request.copies if isinstance(each.port, StateInfo)]) == copies


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
    with pytest.raises(FallbackError, match="strict mode"):
        core.compile_model(chain(1), "chip", {"ON_DEVICE_ERROR": "FALLBACK"})


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
        seen.update(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
        kernel.compute()

    core.register_device("chip", lambda options: Failing(look))
    request = core.compile_model(chain(1), device, properties).create_infer_request()
    request.infer([X])
    np.testing.assert_array_equal(request.results[0], X + MARK)
    return seen


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


def test_threads_that_contradict_each_other() -> None:
    core = Core()
    wrong = {"INFERENCE_NUM_THREADS": 2, "THREADS_PER_STREAM": 3}
    with pytest.raises(PropertyError, match="THREADS_PER_STREAM 3 is more than INFERENCE_NUM_THREADS 2"):
        core.set_property("CPU", wrong)
    assert core.get_property("CPU", "INFERENCE_NUM_THREADS") == 0
    with pytest.raises(PropertyError, match="lower the one"):
        core.compile_model(chain(1), "CPU", wrong)


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
