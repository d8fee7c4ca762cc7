"""ONNX Runtime and OpenVINO as runtimes of the CPU, for what delegates leave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from lite_delegate import (
    CacheOptions,
    Context,
    Delegate,
    DelegateModel,
    DelegateUnavailable,
    Kernel,
    Model,
    RejectCode,
    Rejected,
    Supported,
)
from lite_delegate.benchmark import benchmark_schema
from lite_delegate.delegate import SupportResult
from lite_delegate.formats.ms import write_ms
from lite_delegate.ir import Graph
from lite_delegate.report import partition_report
from lite_delegate.testing.delegates import GroupKernel
from tests.commands import invoke
from tests.passes.random_graphs import Builder

BACKENDS = ("onnxruntime", "openvino")


class ConvOnly(Delegate):
    """Takes convolutions, and runs them on the host's kernels."""

    name = "conv-only"

    def supports(self, kernel: Kernel) -> SupportResult:
        return Supported() if kernel.type == "Conv2DFusion" else Rejected(RejectCode.OPERATOR, "no convolution")

    def create_graph_kernel(self, run: list[Kernel], model: DelegateModel) -> Kernel:  # type: ignore[override]
        return GroupKernel("Convolutions", model.boundary_of(run), run)


def network() -> Graph:
    """Softmax and additions around a convolution, all large."""
    b = Builder()
    x = b.input("x", (1, 64, 64, 16))
    y = b.node("AddFusion", b.node("Softmax", x, axis=[3]), x)
    for _ in range(2):
        weights = b.const(np.random.default_rng(0).standard_normal((16, 3, 3, 16)) / 12)
        shape: dict[str, Any] = {"kernel_size": [3, 3], "stride": [1, 1], "dilation": [1, 1], "pad_mode": "SAME"}
        y = b.node("Conv2DFusion", y, weights, group=1, in_channel=16, out_channel=16, **shape)
        y = b.node("AddFusion", b.node("Softmax", y, axis=[3]), y)
    return b.graph(y)


def built(backends: str, delegate: Delegate | None = None, graph: Graph | None = None, **settings: object) -> Model:
    context = Context()
    context.cpu.backends = backends
    context.set_delegate(delegate)
    for name, value in settings.items():
        setattr(context, name, value)
    model = Model()
    model.build_from_graph(network() if graph is None else graph, context)
    return model


X = np.random.default_rng(1).standard_normal((1, 64, 64, 16)).astype(np.float32)


def predicted(model: Model) -> np.ndarray:
    return model.predict([X])[0].get_data_to_numpy().copy()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("has_delegate", [False, True])
def test_results_are_those_of_the_reference_kernels(backend: str, has_delegate: bool) -> None:
    pytest.importorskip(backend)
    context = Context()
    context.cpu.reference_kernels = True
    reference = Model()
    reference.build_from_graph(network(), context)
    model = built(backend, ConvOnly() if has_delegate else None)
    groups = model.get_partition().cpu_groups
    kernels = [each.split(":")[0] for group in groups for each in group.kernels]
    others = {"Conv2DFusion2", "Conv2DFusion5"} if has_delegate else set()
    assert {node.name for node in model.get_partition().nodes} - {*kernels} == others
    assert len(groups) == (3 if has_delegate else 1)
    for _ in range(2):
        np.testing.assert_allclose(predicted(model), predicted(reference), rtol=1e-5, atol=1e-5)


def test_the_delegates_subgraphs_are_as_without_runtimes() -> None:
    pytest.importorskip("onnxruntime")
    alone, model = partition_report(built("none", ConvOnly())), partition_report(built("onnxruntime", ConvOnly()))
    assert [each.kernels for each in model.subgraphs] == [each.kernels for each in alone.subgraphs]
    assert (model.minimum_subgraphs, model.minimum_proof) == (alone.minimum_subgraphs, alone.minimum_proof)
    assert {key for key, value in model.to_dict().items() if value != alone.to_dict()[key]} == {"cpu_groups"}
    assert "cpu groups CPU (onnxruntime): 6 of 6 kernels, in 3 groups" in model.to_text()
    assert "CPU (onnxruntime): 6 of 6 kernels, in 3 groups" in model.to_markdown()


def test_reference_kernels_are_the_reference_kernels() -> None:
    context = Context()
    context.cpu.backends, context.cpu.reference_kernels = "onnxruntime", True
    model = Model()
    model.build_from_graph(network(), context)
    assert model.get_partition().cpu_groups == ()


def test_what_a_context_takes() -> None:
    context = Context()
    assert (context.cpu.backends, context.get_property("CPU_BACKENDS")) == ("none", "NONE")
    context.set_property({"CPU_BACKENDS": "AUTO"})
    assert context.cpu.backends == "auto"
    context.cpu.backends = "openvino"
    assert context.get_property("CPU_BACKENDS") == "OPENVINO"
    with pytest.raises(ValueError, match=r"cpu\.backends must be"):
        context.cpu.backends = "tflite"
    with pytest.raises(TypeError, match=r"cpu\.backends must be"):
        context.cpu.backends = 1  # type: ignore[assignment]


def test_a_package_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lite_delegate.backends.onnxruntime.sessions.session.runtime", absent)
    model = built("onnxruntime")
    assert model.get_partition().cpu_groups == ()
    assert predicted(model).shape == X.shape


def absent() -> object:
    raise DelegateUnavailable("The package 'onnxruntime' is not there.")


def test_a_model_out_of_the_cache_has_its_groups_too(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    path = tmp_path / "m.ms"
    write_ms(network(), path)
    found = []
    for backends in ("onnxruntime", "onnxruntime", "none"):
        context, model = Context(), Model()
        context.cpu.backends, context.cache = backends, CacheOptions(tmp_path / "cache")
        model.build_from_file(path, context=context)
        found.append((model.cache_outcome.status.name, len(model.get_partition().cpu_groups), predicted(model)))
    assert [each[:2] for each in found] == [("MISS", 1), ("HIT", 1), ("HIT", 0)]
    for each in found:
        np.testing.assert_allclose(each[2], found[0][2], rtol=1e-5, atol=1e-5)


def test_the_command_line(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    path = tmp_path / "m.ms"
    write_ms(network(), path)
    for options in ((), ("--cpu-backends", "onnxruntime")):
        assert "CPU (onnxruntime): 8 of 8 kernels, in 1 group" in invoke("run", path, *options).output
    assert "CPU (" not in invoke("run", path, "--cpu-backends", "none").output
    report = json.loads(
        invoke("report", path, "--delegate", "none", "--cpu-backends", "auto", "--format", "json").output
    )
    assert [each["device"] for each in report["cpu_groups"]] == ["CPU (onnxruntime)"]
    assert "cpu groups  CPU (onnxruntime): 8 kernels" in invoke("benchmark", path, "--runs", "2", "--profile").output
    measured = json.loads(invoke("benchmark", path, "--runs", "2", "--format", "json").output)
    assert measured["cpu_groups"] == {"CPU (onnxruntime)": 8}
    jsonschema.validate(measured, benchmark_schema())
    assert "'tflite' is not one of" in invoke("run", path, "--cpu-backends", "tflite").output
