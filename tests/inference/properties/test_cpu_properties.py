"""Properties of the CPU that OpenVINO's users expect: hints, counters, and what the device is."""

from __future__ import annotations

from collections import Counter

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from lite_delegate import Context, Model
from lite_delegate.devices.core import Core
from lite_delegate.inference.running import plan_runner
from lite_delegate.npu import NPUDelegate
from lite_delegate.properties import Layer
from tests.runtime.graphs import chain

X = np.arange(6, dtype=np.float32).reshape(2, 3)
COUNTED = {"PERF_COUNT": "YES"}


def looped() -> bytes:
    """An ONNX Loop of three rounds of one Add, behind a Relu."""
    value = helper.make_tensor_value_info
    body = helper.make_graph(
        [
            helper.make_node("Add", ["before", "one"], ["after"], name="add"),
            helper.make_node("Identity", ["on"], ["go"]),
        ],
        "body",
        [
            value("i", TensorProto.INT64, []),
            value("on", TensorProto.BOOL, []),
            value("before", TensorProto.FLOAT, [2, 3]),
        ],
        [value("go", TensorProto.BOOL, []), value("after", TensorProto.FLOAT, [2, 3])],
        [helper.make_tensor("one", TensorProto.FLOAT, [], [1.0])],
    )
    nodes = [
        helper.make_node("Relu", ["x"], ["start"], name="relu"),
        helper.make_node("Loop", ["rounds", "yes", "start"], ["y"], name="loop", body=body),
    ]
    constants = [
        helper.make_tensor("rounds", TensorProto.INT64, [], [3]),
        helper.make_tensor("yes", TensorProto.BOOL, [], [True]),
    ]
    ends = [value(name, TensorProto.FLOAT, [2, 3]) for name in "xy"]
    model: onnx.ModelProto = helper.make_model(helper.make_graph(nodes, "g", ends[:1], ends[1:], constants))
    return bytes(model.SerializeToString())


@pytest.mark.shows("CPU", "PERFORMANCE_HINT")
@pytest.mark.parametrize(
    ("properties", "streams"),
    [
        ({"PERFORMANCE_HINT": "LATENCY"}, 1),
        ({"PERFORMANCE_HINT": "THROUGHPUT"}, "AUTO"),
        ({"PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 3}, 3),
        ({"PERFORMANCE_HINT": "UNDEFINED"}, "AUTO"),
        ({}, "AUTO"),
    ],
)
def test_a_hint_says_how_many_runs_there_are_at_once(properties: dict[str, object], streams: object) -> None:
    core = Core()
    compiled = core.compile_model(chain(1), "CPU", properties)
    assert compiled.get_property("NUM_STREAMS") == streams
    assert compiled._executor.workers == (compiled.optimal_requests if streams == "AUTO" else streams)
    core.set_property("CPU", properties)
    assert core.get_property("CPU", "NUM_STREAMS") == streams


def test_a_stream_that_is_implied_is_explained() -> None:
    found = Core().compile_model(chain(1), "CPU", {"PERFORMANCE_HINT": "LATENCY"}).explain_property("NUM_STREAMS")
    assert (found.value, found.layer) == (1, Layer.HINT)


def test_the_hint_of_a_call_reaches_the_cpu_of_a_device_that_is_made_of_others() -> None:
    properties = {"PERFORMANCE_HINT": "LATENCY", "DEVICE_PROPERTIES": {"CPU": COUNTED}}
    compiled = Core().compile_model(chain(1), "MULTI:CPU", properties)
    assert compiled.get_property("PERFORMANCE_HINT") == "LATENCY"
    request = compiled.create_infer_request()
    request.infer([X])
    assert [each.node_name for each in request.get_profiling_info()[3:]] == ["n0"]


@pytest.mark.shows("CPU", "PERF_COUNT")
def test_kernels_of_the_cpu_are_counted_where_that_is_asked_for() -> None:
    core = Core()
    plain = core.compile_model(chain(3), "CPU").create_infer_request()
    plain.infer([X])
    assert len(plain.get_profiling_info()) == 3
    request = core.compile_model(chain(3), "CPU", COUNTED).create_infer_request()
    for asynchronous in (False, True):
        if asynchronous:
            request.start_async([X])
            request.wait()
        else:
            request.infer([X])
        _, execution, _, *kernels = request.get_profiling_info()
        assert [each.node_name for each in kernels] == ["n0", "n1", "n2"]
        assert {(each.status, each.exec_type, each.is_estimate) for each in kernels} == {("executed", "CPU", False)}
        assert all(each.real_us > 0 for each in kernels)
        assert sum(each.real_us for each in kernels) <= execution.real_us


def test_a_kernel_in_a_loop_is_counted_once_with_all_its_rounds() -> None:
    properties = {**COUNTED, "DISABLE_TRANSFORMATIONS": "YES"}
    request = Core().compile_model(looped(), "CPU", properties).create_infer_request()
    np.testing.assert_array_equal(request.infer([X])[0], X + 3)
    names = Counter(each.node_name for each in request.get_profiling_info()[3:])
    assert names["relu"] == 1
    assert max(names.values()) == 1


def test_nothing_records_where_nobody_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def recording(_: object) -> None:
        raise AssertionError("no run records")

    monkeypatch.setattr(plan_runner, "recording", recording)
    Core().compile_model(chain(2), "CPU").create_infer_request().infer([X])


def test_what_the_kernels_of_the_cpu_took_is_known_in_a_model_with_open_dimensions() -> None:
    model = helper.make_model(
        helper.make_graph(
            [helper.make_node("Relu", ["x"], ["y"], name="relu")],
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 3])],
        )
    )
    compiled = Core().compile_model(model.SerializeToString(), "CPU", COUNTED, shapes={"x": [(1, 8), 3]})
    request = compiled.create_infer_request()
    request.infer([X])
    assert [each.node_name for each in request.get_profiling_info()[3:]] == ["relu"]


def test_a_property_that_the_cpu_and_a_delegate_have_is_set_on_both_by_a_context() -> None:
    context, delegate = Context(), NPUDelegate()
    context.set_delegate(delegate)
    context.set_property({"perf_count": "YES"})
    assert delegate.get_property("PERF_COUNT") is True
    assert context.get_property("PERF_COUNT") is True
    alone, model = Context(), Model()
    alone.set_property(COUNTED)
    assert alone.get_property("PERF_COUNT") is True
    model.build_from_graph(chain(2), alone)
    request = model.compiled.create_infer_request()
    request.infer([X])
    assert [each.node_name for each in request.get_profiling_info()[3:]] == ["n0", "n1"]


@pytest.mark.shows("CPU", "DEVICE_TYPE", "AVAILABLE_DEVICES", "EXECUTION_DEVICES")
def test_the_cpu_has_the_properties_of_openvino() -> None:
    core = Core()
    assert core.get_property("CPU", "DEVICE_TYPE") == "INTEGRATED"
    assert core.get_property("CPU", "AVAILABLE_DEVICES") == ("",)
    assert core.get_property("CPU", "EXECUTION_DEVICES") == ("CPU",)


@pytest.mark.shows("NPU", "EXECUTION_DEVICES")
@pytest.mark.parametrize("device", ["NPU", "NPU.4000"])
def test_a_device_says_by_which_name_it_computes(device: str) -> None:
    assert Core().get_property(device, "EXECUTION_DEVICES") == (device,)


@pytest.mark.shows("CPU", "OPTIMIZATION_CAPABILITIES")
def test_the_cpu_computes_in_the_types_that_it_names() -> None:
    core = Core()
    types = {"FP64": TensorProto.DOUBLE, "FP32": TensorProto.FLOAT, "FP16": TensorProto.FLOAT16}
    capabilities = core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    assert isinstance(capabilities, tuple)
    assert {*types, "INT8", "EXPORT_IMPORT", "STATE", "DYNAMIC"} == set(capabilities)
    for element in types.values():
        ends = [helper.make_tensor_value_info(name, element, [2, 2]) for name in "xy"]
        graph = helper.make_graph([helper.make_node("MatMul", ["x", "x"], ["y"])], "g", ends[:1], ends[1:])
        x = np.array([[1, 2], [3, 4]], helper.tensor_dtype_to_np_dtype(element))
        (y,) = core.compile_model(helper.make_model(graph).SerializeToString(), "CPU")([x]).values()
        np.testing.assert_array_equal(y, np.array([[7, 10], [15, 22]], x.dtype))
