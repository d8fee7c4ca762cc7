"""Constants that lie in the model's file are read there by ONNX Runtime, as long as it is the file that was read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Context, Model
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.onnxruntime.graph import OnnxRuntimeGraph, SharedSession
from lite_delegate.backends.onnxruntime.sessions import session as sessions
from lite_delegate.backends.onnxruntime.sessions.in_files import folder_of, referred
from lite_delegate.tensors.tensor import Array

X = np.random.default_rng(0).standard_normal((1, 16, 5, 5)).astype(np.float32)


def written(path: Path, seed: int = 1) -> Path:
    """A convolution and a product, whose weights have more than 1 KiB."""
    rng = np.random.default_rng(seed)
    arrays = {"w": rng.standard_normal((16, 16, 3, 3)), "m": rng.standard_normal((5, 300))}
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("MatMul", ["c", "m"], ["y"]),
    ]
    constants = [numpy_helper.from_array(array.astype(np.float32), name) for name, array in arrays.items()]
    x, y = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (("x", X.shape), ("y", None))
    )
    graph = helper.make_graph(nodes, "g", [x], [y], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def expected(path: Path) -> Array:
    (y,) = onnxruntime.InferenceSession(str(path)).run(None, {"x": X})
    return np.asarray(y)


def built(path: Path) -> Model:
    context = Context()
    context.set_delegate(OnnxRuntimeDelegate())
    model = Model()
    model.build_from_file(path, context=context)
    return model


def result(model: Model) -> Array:
    (y,) = model.predict({"x": X})
    return y.data.copy()


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """The names of the constants that each session was handed from memory."""
    found: list[set[str]] = []
    real = sessions.hand_over

    def watched(outside: Mapping[str, Array], options: Any) -> None:
        found.append(set(outside))
        real(outside, options)

    monkeypatch.setattr(sessions, "hand_over", watched)
    return found


def prepared_of(model: Model) -> SharedSession:
    (kernel,) = model.compiled.graph_kernels
    assert isinstance(kernel, OnnxRuntimeGraph)
    return kernel.shared


def test_nothing_is_copied_or_handed_over(tmp_path: Path, handed: list[set[str]]) -> None:
    path = written(tmp_path / "m.onnx")
    model = built(path)
    places = [referred(array) for array in prepared_of(model).whole().outside.values()]
    assert [place and place.name for place in places] == ["m.onnx", "m.onnx"]
    assert handed == [set()]
    np.testing.assert_allclose(result(model), expected(path), rtol=1e-5, atol=1e-5)


def test_a_link_into_another_folder_is_followed(tmp_path: Path, handed: list[set[str]]) -> None:
    (tmp_path / "store").mkdir()
    path = written(tmp_path / "store" / "blob")
    link = tmp_path / "m.onnx"
    link.symlink_to(path)
    model = built(link)
    assert folder_of(prepared_of(model).whole().outside) == (tmp_path / "store").resolve()
    assert handed == [set()]
    np.testing.assert_allclose(result(model), expected(path), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("change", ["replaced", "gone", "touched"])
def test_another_file_at_the_path_is_not_read(tmp_path: Path, handed: list[set[str]], change: str) -> None:
    path = written(tmp_path / "m.onnx")
    wanted = expected(path)
    model = built(path)
    handed.clear()
    if change == "replaced":
        os.replace(written(tmp_path / "other.onnx", seed=2), path)
    elif change == "gone":
        path.unlink()
    else:
        os.utime(path, ns=(1, 1))
    prepared = prepared_of(model)
    prepared.unload()
    prepared.load()
    assert handed == [set(prepared.whole().outside)]
    session = prepared.session
    (y,) = session.run(None, {session.get_inputs()[0].name: X})
    np.testing.assert_allclose(y, wanted, rtol=1e-5, atol=1e-5)


def test_a_session_that_cannot_read_the_file_is_made_from_memory(
    tmp_path: Path, handed: list[set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "FOLDER", "session.no_such_entry")
    path = written(tmp_path / "m.onnx")
    model = built(path)
    assert handed == [set(), set(prepared_of(model).whole().outside)]
    np.testing.assert_allclose(result(model), expected(path), rtol=1e-5, atol=1e-5)
