"""Runs and models in other releases of ONNX's operators: held to ONNX's checker, and to ONNX Runtime by the cases."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

pytest.importorskip("onnxruntime")
pytest.importorskip("ai_edge_litert")

import onnxruntime as ort

import lite_delegate.demo
from lite_delegate import DelegateBuildError, InputError, RunFile, run_as_onnx
from lite_delegate.conformance import ConformanceCase, all_cases, case_graph
from lite_delegate.conformance.runner import reference_outputs
from lite_delegate.delegate import Kernel
from lite_delegate.formats.onnx.export import in_release
from lite_delegate.ir import make_primitive
from tests.backends.test_run_as import A, B, Plain, of_onnx, tensor, twice_named
from tests.commands import call
from tests.tflite_out import kernel_of

RELEASES = (17, 19, 22)
DEMO = Path(lite_delegate.demo.__file__).parent
EVERY = 97
"""One case in so many."""


def kernel_and_inputs(case: ConformanceCase) -> tuple[Kernel, list[np.ndarray]] | None:
    """The kernel of a case and random inputs; None where ONNX has no such operators, or inputs are not float32."""
    kernel = kernel_of(case_graph(case).nodes[0], reference_outputs(case))
    try:
        usual = run_as_onnx([kernel])
    except DelegateBuildError:
        return None
    rng, inputs = np.random.default_rng(0), []
    for each in opened(usual.content).get_inputs():
        if each.type != "tensor(float)":
            return None
        inputs.append(rng.random(each.shape).astype(np.float32))
    return kernel, inputs


def results(file: RunFile, inputs: list[np.ndarray]) -> list[np.ndarray]:
    found: list[np.ndarray] = opened(file.content).run(None, dict(zip(file.inputs, inputs, strict=True)))
    return found


def opened(content: bytes) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def test_cases_in_other_releases() -> None:
    """Each case equals its form in release 21 on ONNX Runtime, or its node is refused by name."""
    seen: Counter[str] = Counter()
    for case in list(all_cases())[::EVERY]:
        found = kernel_and_inputs(case)
        if found is None:
            continue
        kernel, inputs = found
        expected = results(run_as_onnx([kernel]), inputs)
        for opset in RELEASES:
            try:
                file = run_as_onnx([kernel], opset=opset)
            except DelegateBuildError as e:
                seen[f"refused: {'in release' in str(e)}"] += 1
                continue
            model = onnx.load_model_from_string(file.content)
            onnx.checker.check_model(model, full_check=True)
            assert [each.version for each in model.opset_import if not each.domain] == [opset]
            for a, b in zip(results(file, inputs), expected, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6, err_msg=f"{case.op_type} {case.name} {opset}")
            seen["written"] += 1
    assert seen["refused: False"] == 0
    assert seen["written"] >= 60
    assert seen["refused: True"] <= seen["written"] / 10


@pytest.mark.parametrize("opset", RELEASES)
def test_names_stay(opset: int) -> None:
    run, boundary = twice_named()
    usual, file = run_as_onnx(run, boundary), run_as_onnx(run, boundary, opset=opset)
    assert (file.inputs, file.outputs) == (usual.inputs, usual.outputs)
    np.testing.assert_array_equal(of_onnx(file, [A, B])[0], [[-8.0, -13.0]])
    names = [{node.name for node in onnx.load_model_from_string(each.content).graph.node} for each in (usual, file)]
    assert names[0] == names[1]


def test_old_runtimes_read_old_releases() -> None:
    run, boundary = twice_named()
    assert onnx.load_model_from_string(run_as_onnx(run, boundary, opset=17).content).ir_version == 8


def test_a_refusal_names_the_node_and_the_release() -> None:
    x, y, z = tensor("x"), tensor("y"), tensor("z")
    run: list[Kernel] = [
        Plain("first", "Neg", [x], [y], make_primitive("Neg")),
        Plain("soft", "Activation", [y], [z], make_primitive("Activation", activation_type="GELU")),
    ]
    run_as_onnx(run)
    with pytest.raises(DelegateBuildError, match=r"node 'soft[^']*' \(Gelu\) cannot be said in release 17 of ONNX"):
        run_as_onnx(run, opset=17)


def test_bodies_of_loops_are_in_the_release_too() -> None:
    """Three rounds of a + max(a), where ReduceMax has its axes in an input from release 18 on."""
    info = helper.make_tensor_value_info
    body = helper.make_graph(
        [
            helper.make_node("ReduceMax", ["a", "axes"], ["most"]),
            helper.make_node("Add", ["a", "most"], ["b"]),
            helper.make_node("Identity", ["c"], ["d"]),
        ],
        "body",
        [info("i", TensorProto.INT64, []), info("c", TensorProto.BOOL, []), info("a", TensorProto.FLOAT, [4])],
        [info("d", TensorProto.BOOL, []), info("b", TensorProto.FLOAT, [4])],
        [helper.make_tensor("axes", TensorProto.INT64, [1], [0])],
    )
    loop = helper.make_node("Loop", ["n", "", "x"], ["y"], body=body)
    x, y = (info(name, TensorProto.FLOAT, [4]) for name in "xy")
    graph = helper.make_graph([loop], "g", [x], [y], [helper.make_tensor("n", TensorProto.INT64, [], [3])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    session = opened(in_release(model.SerializeToString(), 17))
    np.testing.assert_array_equal(session.run(None, {"x": np.arange(4, dtype=np.float32)})[0], [21, 22, 23, 24])


@pytest.mark.parametrize("opset", [16, 99, True])
def test_other_releases_are_mistakes(opset: int) -> None:
    run, boundary = twice_named()
    with pytest.raises(InputError, match=f"The opset must be a number from 17 to .*, got {opset}"):
        run_as_onnx(run, boundary, opset=opset)


@pytest.mark.parametrize("beside", [(), ("--external-data-threshold", "64")])
def test_convert(tmp_path: Path, beside: tuple[str, ...]) -> None:
    digits, found = DEMO / "digits.ms", []
    for opset in (21, 18):
        file = tmp_path / f"m{opset}.onnx"
        call("convert", digits, "-o", file, "--opset", opset, *beside)
        assert onnx.load(file, load_external_data=False).opset_import[0].version == opset
        session = ort.InferenceSession(file, providers=["CPUExecutionProvider"])
        (port,) = session.get_inputs()
        found.append(session.run(None, {port.name: np.random.default_rng(0).random(port.shape, np.float32)})[0])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5)


def test_opset_is_for_onnx_files(tmp_path: Path) -> None:
    done = call("convert", DEMO / "digits.ms", "-o", tmp_path / "m.ms", "--opset", "18", status=2)
    assert "--opset is for .onnx files" in done.stderr
