"""Faults of ONNX Runtime: what fails goes to the CPU with the reason, as for any delegate."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from lite_delegate import Context, DelegateExecuteError, DelegateUnavailable, Model
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate

X = np.linspace(-2, 2, 128, dtype=np.float32).reshape(2, 64)
Y = np.sin(np.exp(X))


@pytest.fixture
def path(tmp_path: Path) -> str:
    nodes = [helper.make_node("Exp", ["x"], ["e"]), helper.make_node("Sin", ["e"], ["y"])]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 64]) for name in "xy")
    graph = helper.make_graph(nodes, "g", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, tmp_path / "m.onnx")
    return str(tmp_path / "m.onnx")


def built(path: str, delegate: OnnxRuntimeDelegate, on_error: str = "fallback") -> Model:
    context = Context()
    context.set_delegate(delegate)
    context.on_delegate_error = on_error
    model = Model()
    model.build_from_file(path, context=context)
    return model


def gives_what_is_expected(model: Model) -> None:
    inputs = model.get_inputs()
    inputs[0].set_data_from_numpy(X)
    (y,) = model.predict(inputs)
    np.testing.assert_allclose(y.get_data_to_numpy(), Y, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("package", [None, ModuleType("onnxruntime")])
def test_without_a_package_that_works_the_cpu_runs(path: str, monkeypatch, package: ModuleType | None) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", package)
    with pytest.warns(match="onnxruntime"):
        model = built(path, OnnxRuntimeDelegate())
    assert all(not node.subgraph for node in model.get_partition().nodes)
    gives_what_is_expected(model)


def test_a_provider_that_is_not_listed_any_more_is_absent(path: str, monkeypatch) -> None:
    OnnxRuntimeDelegate().init()
    monkeypatch.setattr("lite_delegate.backends.onnxruntime.sessions.session.providers", lambda: ["OtherProvider"])
    with pytest.raises(DelegateUnavailable, match="has no 'CPUExecutionProvider' here; it has OtherProvider"):
        OnnxRuntimeDelegate().init()
    with pytest.warns(match="has no 'CPUExecutionProvider' here; it has OtherProvider"):
        gives_what_is_expected(built(path, OnnxRuntimeDelegate()))


def test_a_session_that_cannot_be_made_leaves_the_run_to_the_cpu_with_the_reason(path: str) -> None:
    config = {"session.intra_op_thread_affinities": "nonsense"}
    with pytest.warns(match="ONNX Runtime cannot make a session"):
        model = built(path, OnnxRuntimeDelegate(threads=2, session_config=config))
    nodes = model.get_partition().nodes
    assert all(not node.subgraph for node in nodes)
    assert all("ONNX Runtime cannot make a session: " in node.reason for node in nodes)
    gives_what_is_expected(model)


def test_a_session_that_fails_once_is_run_by_the_cpu_and_then_again_by_it(path: str, monkeypatch) -> None:
    model = built(path, OnnxRuntimeDelegate())
    runs: list[int] = []
    run = onnxruntime.InferenceSession.run_with_iobinding

    def failing(session: onnxruntime.InferenceSession, binding: onnxruntime.IOBinding) -> None:
        runs.append(id(binding))
        if len(runs) == 1:
            raise RuntimeError("the device was lost")
        run(session, binding)

    monkeypatch.setattr(onnxruntime.InferenceSession, "run_with_iobinding", failing)
    with pytest.warns(match="ONNX Runtime failed in '.*': the device was lost"):
        gives_what_is_expected(model)
    gives_what_is_expected(model)
    assert len(runs) == 2


def test_a_session_that_fails_is_an_error_where_no_fallback_is_wanted(path: str, monkeypatch) -> None:
    model = built(path, OnnxRuntimeDelegate(), "raise")
    monkeypatch.setattr(onnxruntime.InferenceSession, "run_with_iobinding", lambda session, binding: 1 // 0)
    inputs = model.get_inputs()
    inputs[0].set_data_from_numpy(X)
    with pytest.raises(DelegateExecuteError, match=r"ONNX Runtime failed in 'OnnxRuntime0': .*zero"):
        model.predict(inputs)
