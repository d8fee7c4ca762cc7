"""LiteRT as a delegate: its own kernels, within the promises, and its places."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from lite_delegate import CompiledModel, Core
from lite_delegate.backends.litert import LiteRTDelegate
from lite_delegate.backends.litert.graph import LiteRTGraph, SharedFile
from lite_delegate.backends.litert.package import InterpreterSettings, interpreter_of
from lite_delegate.backends.tflite_file.tflite_run import TfliteRunFile
from lite_delegate.conformance.judging.case import ConformanceCase
from lite_delegate.conformance.reports.results import CaseOutcome, Verdict
from lite_delegate.conformance.runner import run_case
from lite_delegate.conformance.suite import all_cases
from lite_delegate.errors import DelegateBuildError, DelegateExecuteError, ModelFormatError

litert = pytest.importorskip("ai_edge_litert.interpreter", reason="the package ai-edge-litert is not installed")

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(7)


def input_of(name: str, batch: int = 1) -> Array:
    """An input of a DS-CNN, float or int8."""
    if name.endswith("f32"):
        return RNG.standard_normal((batch, 49, 10, 1)).astype(np.float32)
    return RNG.integers(-128, 128, (batch, 49, 10, 1), np.int8)


def by_litert(path: Path, x: Array) -> Array:
    """The result of a file by LiteRT's interpreter, with no delegate of ours."""
    made = litert.Interpreter(str(path), num_threads=1)
    made.allocate_tensors()
    made.set_tensor(made.get_input_details()[0]["index"], x)
    made.invoke()
    return np.array(made.get_tensor(made.get_output_details()[0]["index"]))


@pytest.mark.shows("LITERT", "DEVICE_ID")
@pytest.mark.shared
@pytest.mark.parametrize(("name", "atol"), [("ds_cnn_kws_f32", 1e-6), ("ds_cnn_kws_int8", 0)])
@pytest.mark.parametrize("device", ["XNNPACK", "BUILTIN", "REFERENCE"])
def test_a_model_runs_whole_and_gives_what_litert_gives_for_the_file(
    shared_models: Path, name: str, atol: float, device: str
) -> None:
    path = shared_models / f"{name}.tflite"
    compiled = Core().compile_model(path, "LITERT", {"DEVICE_ID": device})
    assert len(compiled.partition.subgraphs) == 1
    assert all(node.subgraph is not None for node in compiled.partition.nodes)
    x = input_of(name)
    (found,) = compiled.create_infer_request().infer([x])
    np.testing.assert_allclose(
        np.array(found).astype(float), by_litert(path, x).astype(float), rtol=0, atol=atol or (device != "XNNPACK")
    )


@pytest.mark.shared
def test_places_are_read_back_from_the_interpreter(shared_models: Path) -> None:
    compiled = Core().compile_model(shared_models / "ds_cnn_kws_int8.tflite", "LITERT")
    *others, softmax = [node.provider for node in compiled.partition.nodes]
    assert softmax == "LiteRT"  # XNNPACK has no int8 SOFTMAX
    assert set(others) == {"XNNPACK"}


@pytest.mark.shared
def test_requests_in_parallel_have_interpreters_of_their_own(shared_models: Path) -> None:
    path = shared_models / "ds_cnn_kws_int8.tflite"
    compiled = Core().compile_model(path, "LITERT", {"INFERENCE_NUM_THREADS": 1})
    inputs = [input_of("int8") for _ in range(16)]
    expected = [by_litert(path, x) for x in inputs]

    def run(part: int) -> list[Array]:
        request = compiled.create_infer_request()
        return [np.array(request.infer([x])[0]) for x in inputs[part::4]]

    with ThreadPoolExecutor(4) as pool:
        for part, found in enumerate(pool.map(run, range(4))):
            np.testing.assert_array_equal(found, expected[part::4])


@pytest.mark.shared
def test_a_compiled_model_is_written_and_read_with_its_interpreters_file(shared_models: Path, tmp_path: Path) -> None:
    compiled = Core().compile_model(shared_models / "ds_cnn_kws_int8.tflite", "LITERT")
    x = input_of("int8")
    expected = np.array(compiled.create_infer_request().infer([x])[0])
    compiled.export_model(tmp_path / "kws.ldm")
    again = Core().import_model(tmp_path / "kws.ldm", "LITERT")
    assert len(again.partition.subgraphs) == 1
    np.testing.assert_array_equal(np.array(again.create_infer_request().infer([x])[0]), expected)


def cases(op_type: str, *names: str) -> list[ConformanceCase]:
    """Cases of an operator."""
    return [case for case in all_cases([op_type]) if case.name in names]


@pytest.mark.parametrize("op_type", ["AddFusion", "Elu", "LogicalNot", "OneHot", "FloorMod"])
def test_operands_without_dimensions(op_type: str) -> None:
    (case,) = cases(op_type, "rank_0")
    assert run_case(case, LiteRTDelegate(threads=1), force=False, closely=False).outcome is CaseOutcome.PASSED


REFUSED = ("RandomStandardNormal", "UniformReal", "Log1p", "Reciprocal", "DetectionPostProcess", "TensorScatterAdd")


def over_claims(op_type: str, device: str) -> list[str]:
    """The cases of an operator that are claimed and not right."""
    delegate = LiteRTDelegate(device, threads=1)
    results = [run_case(case, delegate, force=False, closely=False) for case in all_cases([op_type])]
    return [result.name for result in results if result.verdict is Verdict.OVER_CLAIM]


@pytest.mark.parametrize("op_type", REFUSED)
def test_what_litert_computes_otherwise_is_refused(op_type: str) -> None:
    assert over_claims(op_type, "XNNPACK") == []


@pytest.mark.parametrize("device", ["BUILTIN", "REFERENCE"])
@pytest.mark.parametrize("op_type", ["AddFusion", "MulFusion", "QuantDTypeCast", "DepthToSpace", "Ceil", "LRN"])
def test_what_litert_computes_with_its_own_kernels_is_right(op_type: str, device: str) -> None:
    """Its arithmetic ends at the largest numbers, and its QUANTIZE would wrap them around."""
    assert over_claims(op_type, device) == []


@pytest.mark.parametrize("op_type", ["Sqrt", "Rsqrt", "Log"])
def test_what_xnnpack_gets_wrong_is_left_to_litert(op_type: str) -> None:
    assert over_claims(op_type, "XNNPACK") == []
    node = helper.make_node({"Rsqrt": "Sqrt"}.get(op_type, op_type), ["x"], ["y"])
    add = helper.make_node("Add", ["y", "y"], ["z"])
    places = [each.provider for each in compiled_onnx([node, add]).partition.nodes]
    assert places == ["LiteRT", "XNNPACK"]


def compiled_onnx(nodes: list[onnx.NodeProto]) -> CompiledModel:
    """A model from x to z, both float32 (2, 3)."""
    x, z = (helper.make_tensor_value_info(name, TensorProto.FLOAT, (2, 3)) for name in "xz")
    model = helper.make_model(helper.make_graph(nodes, "g", [x], [z]), opset_imports=[helper.make_opsetid("", 17)])
    return Core().compile_model(model.SerializeToString(), "LITERT")


def test_exact_roots_are_taken_by_litert_s_own_kernels() -> None:
    (case,) = cases("Sqrt", "rank_2")
    delegate = LiteRTDelegate("BUILTIN", threads=1)
    assert run_case(case, delegate, force=False, closely=False).outcome is CaseOutcome.PASSED


@pytest.mark.parametrize("op_type", ["SpaceToBatchND", "BatchToSpaceND", "SpaceToDepth"])
def test_integers_that_are_moved_to_another_scale_are_one_step_off_at_most(op_type: str) -> None:
    (case,) = cases(op_type, "int8_twice_the_scale_dtype_int8")
    assert run_case(case, LiteRTDelegate(threads=1), force=False, closely=False).outcome is CaseOutcome.PASSED


def relu_file(folder: Path) -> Path:
    """A model of open shape, one of whose outputs is read inside, too."""
    node = helper.make_node("Relu", ["x"], ["y"])
    x, *results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 3]) for name in "xyz"]
    graph = helper.make_graph([node, helper.make_node("Neg", ["y"], ["z"])], "g", [x], results)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), folder / "r.onnx")
    return folder / "r.onnx"


def test_shapes_may_change_between_runs(tmp_path: Path) -> None:
    request = Core().compile_model(relu_file(tmp_path), "LITERT").create_infer_request()
    for rows in (1, 4, 2, 4):
        x = RNG.standard_normal((rows, 3)).astype(np.float32)
        y, z = (np.array(each) for each in request.infer([x]))
        np.testing.assert_array_equal(y, np.maximum(x, 0))
        np.testing.assert_array_equal(z, -np.maximum(x, 0))


class Broken:
    """An interpreter without tensors whose runs fail."""

    def get_input_details(self) -> list[dict[str, Any]]:
        return []

    get_output_details = get_input_details

    def invoke(self) -> None:
        raise RuntimeError("node 3 failed to invoke")


@pytest.mark.shows("LITERT", "INFERENCE_NUM_THREADS")
def test_the_number_of_threads_reaches_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int | None] = []

    class Counted:
        def __init__(self, num_threads: int | None, **others: object) -> None:
            told.append(num_threads)

        def allocate_tensors(self) -> None:
            return None

    monkeypatch.setattr(litert, "Interpreter", Counted)
    for threads in (0, 3):
        interpreter_of(b"", LiteRTDelegate(options={"INFERENCE_NUM_THREADS": threads}).settings)
    assert told == [None, 3]


def test_a_failure_of_the_interpreter_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = SharedFile(TfliteRunFile(b"", {}), InterpreterSettings(), "XNNPACK")
    monkeypatch.setattr(shared, "interpreter", Broken)
    with pytest.raises(DelegateExecuteError, match=r"^LiteRT failed in 'LiteRT0': node 3 failed to invoke$"):
        LiteRTGraph("LiteRT0", [], [], shared).bind([], [])()


def test_a_file_that_litert_cannot_read_is_a_failed_build() -> None:
    with pytest.raises(DelegateBuildError, match=r"^LiteRT cannot run the model: "):
        SharedFile(TfliteRunFile(b"no model", {}), InterpreterSettings(), "XNNPACK").load()


@pytest.mark.parametrize("data", [b"", b"\x00" * 64])
def test_damaged_bytes_are_no_graph_kernel(data: bytes) -> None:
    with pytest.raises(ModelFormatError):
        LiteRTDelegate().import_kernel(memoryview(data), [], [])
