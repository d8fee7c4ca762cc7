"""The layers that ONNX Runtime measures, in profiles of requests, against its own profile of the same model."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from datetime import timedelta
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from click.testing import CliRunner
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Core
from lite_delegate.backends.onnxruntime.sessions.layers import WrittenLayer, layers_of
from lite_delegate.cli import main

COUNTED = {"PERF_COUNT": "YES"}
X = np.ones((1, 8, 16, 16), np.float32)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A network in which a convolution takes an activation in, and blocks of channels come and go."""
    rng = np.random.default_rng(0)
    weights = rng.standard_normal((8, 8, 3, 3)).astype(np.float32)
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], name="first", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["a"], ["b"], name="rectified"),
        helper.make_node("CumSum", ["b", "axis"], ["c"], name="sums"),
        helper.make_node("MatMul", ["c", "m"], ["y"], name="last"),
    ]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, X.shape) for name in "xy")
    constants = {"w": weights, "axis": np.array(1), "m": rng.standard_normal((16, 16)).astype(np.float32)}
    initializers = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "g", [x], [y], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


def ran_natively(path: Path, folder: Path) -> Counter[str]:
    """The operators that ONNX Runtime ran of a file, by its own profile."""
    options = ort.SessionOptions()
    options.enable_profiling, options.profile_file_prefix = True, str(folder / "native")
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    session.run(None, {"x": X})
    events = json.loads(Path(session.end_profiling()).read_bytes())
    return Counter(event["args"]["op_name"] for event in events if event["cat"] == "Node")


def kernel_of(name: str) -> str:
    """The first of the kernels that an entry's is made of."""
    return name.partition(": ")[2].partition("/")[0]


@pytest.mark.shows("ONNXRUNTIME", "PERF_COUNT")
def test_profiles_of_requests_have_them(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    aside = tmp_path / "aside"
    aside.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(aside))
    request = Core().compile_model(path, "ONNXRUNTIME", COUNTED).create_infer_request()
    (expected,) = Core().compile_model(path, "ONNXRUNTIME").create_infer_request().infer([X]).values()
    (y,) = request.infer([X]).values()
    np.testing.assert_array_equal(y, expected)
    _, _, _, *layers = request.get_profiling_info()
    ran = [each for each in layers if each.status == "executed"]
    assert Counter(each.node_type for each in ran) == ran_natively(path, tmp_path)
    names = {kernel_of(each.node_name): each for each in ran}
    assert {"first", "sums", "last"} <= set(names)
    assert names["first"].exec_type == "CPU NCHWc"
    assert names["sums"].exec_type == "CPU"
    assert timedelta(0) < sum((each.real_time for each in ran), timedelta(0)) < timedelta(seconds=1)
    assert {each.cpu_time for each in layers} == {None}
    assert list(aside.iterdir()) == []  # its file is gone


def test_a_model_of_the_cache_has_our_names(path: Path, tmp_path: Path) -> None:
    compiled = Core().compile_model(path, "ONNXRUNTIME")
    request = Core().import_model(compiled.export_model(), "ONNXRUNTIME", COUNTED).create_infer_request()
    request.infer([X])
    names = {kernel_of(each.node_name) for each in request.get_profiling_info()}
    assert {"first", "sums", "last"} <= names


def test_nothing_is_measured_unless_asked_for(path: Path) -> None:
    request = Core().compile_model(path, "ONNXRUNTIME").create_infer_request()
    request.infer([X])
    assert len(request.get_profiling_info()) == 3


def test_benchmarks_have_a_table(path: Path) -> None:
    told = ["--delegate", "onnxruntime", "--delegate-option", "PERF_COUNT=YES", "--runs", "2", "--profile"]
    shown = CliRunner().invoke(main, ["benchmark", str(path), *told])
    assert shown.exit_code == 0, shown.output
    rows = shown.output.partition("Layers of the subgraphs\n")[2].splitlines()
    assert any(row.split()[:2] == ["sums", "CumSum"] for row in rows)


def test_times_are_the_mean_of_all_runs_but_the_first() -> None:
    def event(name: str, op: str, took: int) -> dict[str, object]:
        return {
            "cat": "Node",
            "name": f"{name}_kernel_time",
            "dur": took,
            "args": {"op_name": op, "provider": "CPUExecutionProvider"},
        }

    end = {"cat": "Session", "name": "model_run", "dur": 99}
    first, second, third = (
        [event("conv/v1_token_7", "FusedConv", 10 * n), event("v4_nchwc", "Conv", n), event("re", "ReorderOutput", 2)]
        for n in (100, 1, 2)
    )
    written: dict[str, tuple[str, str, tuple[str, ...]]] = {
        "v1": ("conv", "Conv", ("x1",)),
        "v2": ("relu", "Relu", ("v1",)),
        "v3": ("later", "Conv", ("v2", "c3")),
        "v4": ("clipped", "Clip", ("v3", "c4")),
    }
    events = [*first, end, *second, *third[:1], end, *third, end]
    layers = layers_of(events, {result: WrittenLayer(*layer) for result, layer in written.items()})
    assert [(each.name, each.type, each.implementation, each.real_us) for each in layers if each.was_run] == [
        ("conv", "FusedConv", "CPU", (10 + 20 + 20) / 2),
        ("later", "Conv", "CPU NCHWc", (1 + 2) / 2),
        ("re", "ReorderOutput", "CPU", 2.0),
    ]
    assert [(each.name, each.type) for each in layers if not each.was_run] == [("relu", "Relu"), ("clipped", "Clip")]
