"""``lite-delegate convert -o FILE.onnx``, held to ONNX Runtime on both files, and to the package ``onnx``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate.backends.onnx_file import emitter
from lite_delegate.demo import model_path
from tests.backends.onnxruntime.test_delegate import small_model
from tests.commands import call, invoke

Array = np.ndarray[Any, Any]
X = np.random.default_rng(1).standard_normal((1, 3, 12, 10)).astype(np.float32)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "in.onnx"
    onnx.save(small_model(), path)
    return path


def outputs(path: Path, **feeds: Array) -> dict[str, Array]:
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds), strict=True))


def same(found: dict[str, Array], expected: dict[str, Array]) -> None:
    assert list(found) == list(expected)
    for name, array in expected.items():
        np.testing.assert_allclose(found[name], array, rtol=1e-5, atol=1e-5)


def test_a_model_that_was_read_and_written_gives_the_same_under_the_same_names(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.onnx"
    done = call("convert", model, "-o", out)
    assert done.stderr == ""
    onnx.checker.check_model(str(out), full_check=True)
    same(outputs(out, x=X), outputs(model, x=X))


def test_no_transposes_are_left_where_the_file_had_none(model: Path, tmp_path: Path) -> None:
    call("convert", model, "-o", tmp_path / "out.onnx")
    kept = [n.op_type for n in onnx.load(tmp_path / "out.onnx").graph.node]
    assert kept.count("Transpose") == [n.op_type for n in onnx.load(model).graph.node].count("Transpose") == 1


def test_large_constants_go_into_a_file_beside_it(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.onnx"
    call("convert", model, "-o", out, "--external-data-threshold", "1000")
    beside = {each.name for each in onnx.load(out, load_external_data=False).graph.initializer if each.external_data}
    assert len(beside) == 1
    assert (tmp_path / "out.onnx.data").stat().st_size == 16 * 3 * 3 * 3 * 4
    onnx.checker.check_model(str(out), full_check=True)
    same(outputs(out, x=X), outputs(model, x=X))


def test_the_model_of_the_package_becomes_one_that_others_run(tmp_path: Path) -> None:
    out, results = tmp_path / "lenet.onnx", tmp_path / "out.npz"
    call("convert", model_path(), "-o", out)
    session = ort.InferenceSession(out, providers=["CPUExecutionProvider"])
    (given,) = session.get_inputs()
    x = np.random.default_rng(2).standard_normal(given.shape).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    call("run", model_path(), "--input", f"{given.name}={tmp_path / 'x.npy'}", "--output", results)
    expected = np.load(results)
    assert [each.name for each in session.get_outputs()] == list(expected)
    for name, array in zip(expected, session.run(None, {given.name: x}), strict=True):
        np.testing.assert_allclose(array, expected[name], rtol=1e-5, atol=1e-5)


def test_inputs_and_constants_that_are_outputs(tmp_path: Path) -> None:
    nodes = [helper.make_node("Identity", ["x"], ["y"]), helper.make_node("Identity", ["c"], ["z"])]
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in ("x", "y", "z")]
    constant = numpy_helper.from_array(np.array([3, 4], np.float32), "c")
    graph = helper.make_graph(nodes, "g", infos[:1], infos[1:], [constant])
    path = tmp_path / "in.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    call("convert", path, "-o", tmp_path / "out.onnx")
    found = outputs(tmp_path / "out.onnx", x=np.array([1, 2], np.float32))
    assert {name: array.tolist() for name, array in found.items()} == {"y": [1, 2], "z": [3, 4]}


def test_open_dimensions_are_those_that_are_asked_for(tmp_path: Path) -> None:
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, ["N", 2]) for n in "xy")
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "g", [x], [y])
    path = tmp_path / "in.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    for given, batch in ((), 1), (("--input-shape", "x=3,2"), 3):
        call("convert", path, "-o", tmp_path / "out.onnx", *given)
        (found,) = onnx.load(tmp_path / "out.onnx").graph.input
        assert [d.dim_value for d in found.type.tensor_type.shape.dim] == [batch, 2]


def test_what_onnx_cannot_say_is_one_line_and_nothing_is_written(tmp_path: Path) -> None:
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, 2]) for n in "xy")
    node = helper.make_node("Strange", ["x"], ["y"], name="odd", domain="acme")
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("acme", 1)]
    path = tmp_path / "in.onnx"
    onnx.save(helper.make_model(helper.make_graph([node], "g", [x], [y]), opset_imports=opsets, ir_version=9), path)
    done = call("convert", path, "-o", tmp_path / "out.onnx", status=2)
    assert "cannot be written as ONNX: node 'odd' (" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.glob("out*"))


def test_a_model_that_is_too_large_says_what_to_do(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emitter, "MAX_BYTES", 1000)
    done = invoke("convert", model, "-o", tmp_path / "out.onnx")
    assert done.exit_code == 2
    assert "--external-data-threshold" in done.output
    assert not list(tmp_path.glob("out*"))
