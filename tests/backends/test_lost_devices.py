"""Backends whose device goes away after it was there: the CPU takes over with the reason, or an error says it."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from lite_delegate import Context, Core, Delegate, DelegateExecuteError, DelegateUnavailable, FallbackError, Model
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.onnxruntime.graph import OnnxRuntimeGraph
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.backends.openvino.graph import OpenVINOGraph

X = np.linspace(-2, 2, 128, dtype=np.float32).reshape(2, 64)
Y = np.sin(np.exp(X))
LOST = "the device was lost"
ALL = 1000


class Device:
    """The device behind a runtime's own calls.

    Attributes:
        failures: calls that fail from now on; the others go to the runtime.
    """

    def __init__(self) -> None:
        self.failures = 0

    def call(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            if self.failures:
                self.failures -= 1
                raise RuntimeError(LOST)
            return function(*args, **kwargs)

        return called


class Backend:
    """A backend with the calls of its runtime that fail when the device is lost."""

    def __init__(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.name = name
        self.compiling, self.running = Device(), Device()
        self.runtime = pytest.importorskip(name.lower(), reason=f"the package {name.lower()} is not installed")
        getattr(self, f"_patch_{name.lower()}")(monkeypatch)

    def delegate(self) -> Delegate:
        return OnnxRuntimeDelegate() if self.name == "ONNXRUNTIME" else OpenVINODelegate()

    def _patch_onnxruntime(self, monkeypatch: pytest.MonkeyPatch) -> None:
        session = self.runtime.InferenceSession
        monkeypatch.setattr(session, "run_with_iobinding", self.running.call(session.run_with_iobinding))
        monkeypatch.setattr(self.runtime, "InferenceSession", self.compiling.call(session))

    def _patch_openvino(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(self.runtime.Core, "compile_model", self.compiling.call(self.runtime.Core.compile_model))
        native, native_model = self.runtime.InferRequest.__base__, self.runtime.CompiledModel.__base__
        running = self.running

        class Base(native):  # type: ignore[misc, valid-type]
            infer = running.call(native.infer)

        class Request(Base):
            pass

        def made(compiled: Any) -> Any:
            return Request(native_model.create_infer_request(compiled))

        monkeypatch.setattr(self.runtime.CompiledModel, "create_infer_request", made)


@pytest.fixture(params=["ONNXRUNTIME", "OPENVINO"])
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Backend:
    return Backend(request.param, monkeypatch)


@pytest.fixture
def path(tmp_path: Path) -> str:
    nodes = [helper.make_node("Exp", ["x"], ["e"]), helper.make_node("Sin", ["e"], ["y"])]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 64]) for name in "xy")
    graph = helper.make_graph(nodes, "g", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, tmp_path / "m.onnx")
    return str(tmp_path / "m.onnx")


def built(path: str, backend: Backend, on_error: str = "fallback") -> Model:
    context = Context()
    context.set_delegate(backend.delegate())
    context.on_delegate_error = on_error
    model = Model()
    model.build_from_file(path, context=context)
    return model


def is_right(outputs: Any) -> None:
    (y,) = outputs
    np.testing.assert_allclose(np.asarray(y), Y, rtol=1e-5, atol=1e-5)


def test_a_package_that_cannot_be_imported_is_an_error_at_the_strict_door(
    path: str, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = backend.name.lower()
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(DelegateUnavailable, match=rf"'{package}' cannot be imported .*lite-delegate\[{package}\]"):
        Core().compile_model(path, backend.name)


def test_a_device_lost_before_compiling_leaves_all_to_the_cpu_with_the_reason(path: str, backend: Backend) -> None:
    backend.compiling.failures = ALL
    with pytest.warns(match=LOST):
        model = built(path, backend)
    assert [(node.subgraph, LOST in node.reason) for node in model.get_partition().nodes] == [(None, True)] * 2
    is_right(model.compiled.create_infer_request().infer({"x": X}))


def test_a_device_lost_before_compiling_is_an_error_at_the_strict_door(path: str, backend: Backend) -> None:
    backend.compiling.failures = ALL
    with pytest.warns(match=LOST), pytest.raises(FallbackError, match=LOST):
        Core().compile_model(path, backend.name)
    backend.compiling.failures = 0
    is_right(Core().compile_model(path, backend.name).create_infer_request().infer({"x": X}))


def test_the_cpu_runs_what_fails_until_the_device_is_back(path: str, backend: Backend) -> None:
    model = built(path, backend)
    request = model.compiled.create_infer_request()
    backend.running.failures = ALL
    for _ in range(3):
        is_right(request.infer({"x": X}))
    request.start_async({"x": X})
    request.wait()
    is_right(request.results)
    (subgraph,) = model.get_partition().subgraphs
    assert (subgraph.failures, LOST in subgraph.error) == (4, True)
    backend.running.failures = 0
    is_right(request.infer({"x": X}))
    (subgraph,) = model.get_partition().subgraphs
    assert subgraph.failures == 4


def test_a_request_whose_device_was_lost_fails_and_runs_again(path: str, backend: Backend) -> None:
    request = Core().compile_model(path, backend.name).create_infer_request()
    is_right(request.infer({"x": X}))
    backend.running.failures = 2
    with pytest.raises(DelegateExecuteError, match=LOST):
        request.infer({"x": X})
    errors: list[Exception] = []
    request.set_callback(
        lambda *_: errors.append(AssertionError("it did not fail")), on_error=lambda _, error: errors.append(error)
    )
    request.start_async({"x": X})
    with pytest.raises(DelegateExecuteError, match=LOST):
        request.wait()
    assert [type(error) for error in errors] == [DelegateExecuteError]
    request.set_callback(None)
    request.start_async({"x": X})
    request.wait()
    is_right(request.results)
    is_right(request.infer({"x": X}))


def test_a_lost_device_keeps_neither_inputs_nor_the_model(path: str, backend: Backend) -> None:
    model = built(path, backend, "raise")
    request = model.compiled.create_infer_request()
    backend.running.failures = 3
    given = []
    for _ in range(3):
        x = X.copy()
        given.append(weakref.ref(x))
        with pytest.raises(DelegateExecuteError, match=LOST):
            request.infer({"x": x})
        del x
    is_right(request.infer({"x": X}))
    gc.collect()
    assert [each() for each in given] == [None] * 3
    (kernel,) = model.compiled.graph_kernels
    assert isinstance(kernel, OnnxRuntimeGraph | OpenVINOGraph)
    shared = weakref.ref(kernel.shared)
    del model, request, kernel
    gc.collect()
    assert shared() is None
