"""INFERENCE_PRECISION_HINT: kernels in bfloat16 where the device has them, and never coarser numbers than asked for."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from onnx import helper

from lite_delegate import CacheOptions, Context, Core, DataType, Model
from lite_delegate.backends.configurable import NO_OPTIONS
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.backends.openvino.graph import OpenVINOGraph
from lite_delegate.backends.openvino.models import precision
from lite_delegate.cli.main import main
from lite_delegate.conformance import CaseOutcome, ConformanceCase, all_cases, run_conformance
from lite_delegate.conformance.judging.case_graph import case_graph
from lite_delegate.delegate import Wishes
from lite_delegate.delegate.wishes import wishing
from lite_delegate.inference import CompiledModel
from tests.backends.one_input import one_input, unoptimized
from tests.backends.openvino.chosen import chosen
from tests.backends.openvino.test_int8 import two_convolutions

openvino = pytest.importorskip("openvino", reason="the package openvino is not installed")
HAS = tuple(openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"))
RNG = np.random.default_rng(5)
X = RNG.standard_normal((1, 32, 16, 16)).astype(np.float32)
HINT = "INFERENCE_PRECISION_HINT"
BEYOND_FLOAT16 = {
    "FakeQuantWithMinMaxVars": "to_zero_narrow_False",
    "FakeQuantWithMinMaxVarsPerChannel": "channels_3",
    "L2NormalizeFusion": "float16_sum_beyond_its_range",
    "Log1p": "near_0",
    "Mfcc": "silence",
    "PadFusion": "attribute_infinity",
    "QuantDTypeCast": "int32_to_float32",
    "ai.onnx.DynamicQuantizeLinear": "small",
}
"""Cases of the suite by operator: in float16, OpenVINO gives other results."""
needs_bf16 = pytest.mark.skipif("BF16" not in HAS, reason=f"OpenVINO has no bf16 kernels here: it has {HAS}")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two convolutions and a product."""
    arrays: dict[str, Any] = {
        "w0": RNG.standard_normal((32, 32, 3, 3)).astype(np.float32) / 17,
        "w1": RNG.standard_normal((32, 32, 1, 1)).astype(np.float32) / 6,
        "w2": RNG.standard_normal((32, 10)).astype(np.float32),
    }
    nodes = [
        helper.make_node("Conv", ["x", "w0"], ["c0"], pads=[1] * 4),
        helper.make_node("Relu", ["c0"], ["r"]),
        helper.make_node("Conv", ["r", "w1"], ["c1"]),
        helper.make_node("GlobalAveragePool", ["c1"], ["g"]),
        helper.make_node("Flatten", ["g"], ["f"]),
        helper.make_node("MatMul", ["f", "w2"], ["y"]),
    ]
    path = tmp_path_factory.mktemp("precision") / "m.onnx"
    onnx.save(one_input(nodes, arrays, X.shape, (1, 10)), path)
    return path


def kernels(compiled: CompiledModel) -> list[str]:
    """What OpenVINO computes the convolutions and products of a model with."""
    return chosen(compiled, ["Convolution", "FullyConnected"])


def distance(compiled: CompiledModel, path: Path) -> float:
    """The distance from ONNX Runtime's results, relative to the largest."""
    expected = unoptimized(path, X)
    (found,) = compiled.create_infer_request().infer({"x": X})
    return float(np.abs(np.asarray(found) - expected).max() / np.abs(expected).max())


@needs_bf16
def test_bf16_runs_on_kernels_for_it(path: Path) -> None:
    compiled = Core().compile_model(path, "OPENVINO", {HINT: "bf16", "PERF_COUNT": "YES"})
    assert len(kernels(compiled)) == 3
    assert all("bf16" in name for name in kernels(compiled)), kernels(compiled)
    assert 1e-5 < distance(compiled, path) < 4 * 2**-8
    request = compiled.create_infer_request()
    request.infer({"x": X})
    counted = [layer.exec_type for layer in request.get_profiling_info() if layer.node_type == "Convolution"]
    assert counted
    assert all("bf16" in name for name in counted), counted
    assert not any("bf16" in name for name in kernels(Core().compile_model(path, "OPENVINO")))


@needs_bf16
def test_commands_compute_in_bf16_and_hold_results_to_it(path: Path) -> None:
    given = ["compare", str(path), "--delegate", "openvino", "--delegate-option", f"{HINT}=bf16", "--format", "json"]
    result = CliRunner().invoke(main, given)
    assert result.exit_code == 0, result.output
    (output,) = json.loads(result.stdout)["outputs"]
    assert output["rtol"] == 4 * 2**-8
    assert 20 < output["total"]["snr_db"] < 80  # 8 bits are 48 dB


@pytest.mark.parametrize("hint", ["bf16", "f16"])
def test_the_suite_holds_results_to_the_precision(hint: str) -> None:
    cases = [*all_cases(["Conv2DFusion"])][:12] + [*all_cases(["MatMulFusion"])][:12] + [*all_cases(["Attention"])]
    report = run_conformance(cases, OpenVINODelegate(options={HINT: hint}))
    assert report.is_conformant, report.to_text()
    assert sum(result.outcome is CaseOutcome.PASSED for result in report.results) > 12


@pytest.mark.parametrize("op_type", ["ai.onnx.MatMulInteger", "ai.onnx.ConvInteger"])
def test_sums_of_integers_are_not_rounded(op_type: str) -> None:
    cases = [*all_cases([op_type])]
    report = run_conformance(cases, OpenVINODelegate(options={HINT: "bf16"}), force=False)
    assert all(result.outcome is CaseOutcome.REJECTED for result in report.results), report.to_text()
    assert "sums of integers take INFERENCE_PRECISION_HINT f32, is bf16" in report.results[0].detail
    exact = run_conformance(cases[:2], OpenVINODelegate(), force=False)
    assert all(result.outcome is CaseOutcome.PASSED for result in exact.results)


def test_roundings_to_bfloat16_take_float32() -> None:
    cases = [case for case in all_cases(["ai.onnx.Cast"]) if case.name == "bfloat16_rank_3"]
    report = run_conformance(cases, OpenVINODelegate(options={HINT: "bf16"}), force=False)
    assert "types that numpy does not have take INFERENCE_PRECISION_HINT f32, is bf16" in report.results[0].detail
    exact = run_conformance(cases, OpenVINODelegate(), force=False)
    assert [result.outcome for result in exact.results] == [CaseOutcome.PASSED]


@pytest.mark.parametrize("op_type", BEYOND_FLOAT16)
def test_what_float16_has_no_digits_or_range_for_is_rejected(op_type: str) -> None:
    cases = [case for case in all_cases([op_type]) if case.name == BEYOND_FLOAT16[op_type]]
    (rejected,) = run_conformance(cases, OpenVINODelegate(options={HINT: "f16"}), force=False).results
    assert rejected.outcome is CaseOutcome.REJECTED
    assert "take INFERENCE_PRECISION_HINT f32, is f16" in rejected.detail
    (coarse,) = run_conformance(cases, OpenVINODelegate(options={HINT: "bf16"}), force=False).results
    assert coarse.outcome is CaseOutcome.PASSED


@pytest.mark.parametrize("hint", ["f32", "f16"])
def test_a_mirrored_border_reads_no_constant(hint: str) -> None:
    x, pads = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([[1, 0], [0, 1]], np.int32)
    for more in ((np.array([1, 2], np.float32),), (np.array(np.inf, np.float32),), ()):
        case = ConformanceCase(
            "mirrored",
            "PadFusion",
            (x, pads, *more),
            (np.pad(x, pads, "reflect"),),
            {"padding_mode": "REFLECT", "constant_value": np.inf},
            constants=frozenset({1, 2}),
            source="numpy",
        )
        (result,) = run_conformance([case], OpenVINODelegate(options={HINT: hint}), force=False).results
        assert result.outcome is CaseOutcome.PASSED, result.detail


def test_borders_of_numbers_are_taken_in_float16() -> None:
    cases = [case for case in all_cases(["PadFusion"]) if case.name == "constant_rank_2"]
    (result,) = run_conformance(cases, OpenVINODelegate(options={HINT: "f16"}), force=False).results
    assert result.outcome is CaseOutcome.PASSED


@pytest.mark.skipif("FP16" not in HAS, reason=f"OpenVINO has no f16 kernels here: it has {HAS}")
def test_integer_kernels_do_not_give_float16(tmp_path: Path) -> None:
    path = two_convolutions(tmp_path / "m.onnx", 64)
    compiled = Core().compile_model(path, "OPENVINO", {HINT: "f16"})
    (half,) = compiled.graph_kernels
    assert isinstance(half, OpenVINOGraph)
    assert half.shared.compiled.get_property(HINT) == openvino.Type.f32
    assert half.storage_dtype == DataType.FLOAT16


@pytest.mark.skipif("FP16" in HAS, reason="OpenVINO has f16 kernels here")
def test_f16_without_kernels_for_it_is_not_computed_in_bf16(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "lite_delegate.openvino"):
        compiled = Core().compile_model(path, "OPENVINO", {HINT: "f16"})
    assert not any("bf16" in name for name in kernels(compiled)), kernels(compiled)
    assert distance(compiled, path) < 1e-5
    assert "CPU has no kernels for f16 here (it has" in caplog.text
    assert OpenVINODelegate(options={HINT: "f16"}).storage_dtype == DataType.FLOAT16


def with_mode(
    path: Path, mode: str = "preferred_fp16", cache: Path | None = None, options: Mapping[str, object] = NO_OPTIONS
) -> Model:
    """The model with what a context says of the CPU's precision."""
    context = Context()
    context.cpu.precision_mode = mode
    context.cache = None if cache is None else CacheOptions(cache)
    context.set_delegate(OpenVINODelegate(options=options))
    model = Model()
    model.build_from_file(path, context=context)
    return model


def asked_of(model: Model) -> tuple[str, DataType | None]:
    """The hint that the only graph kernel was made with, and what it says of its results."""
    (graph,) = model.get_graph_kernels()
    assert isinstance(graph, OpenVINOGraph)
    told = graph.shared.compiled.get_property(HINT)
    assert (
        told
        == {"f16": openvino.Type.f16, "f32": openvino.Type.f32, "bf16": openvino.Type.bf16}[
            precision.computed("CPU", graph.shared.settings.config[HINT])
        ]
    )
    return graph.shared.settings.config[HINT], graph.storage_dtype


@pytest.mark.parametrize(
    ("mode", "options", "expected"),
    [
        ("preferred_fp16", {}, ("f16", DataType.FLOAT16)),
        ("enforce_fp32", {}, ("f32", None)),
        ("preferred_fp16", {HINT: "f32"}, ("f32", None)),
        ("enforce_fp32", {HINT: "bf16"}, ("bf16", DataType.BFLOAT16)),
    ],
)
def test_the_context_says_the_precision_unless_it_is_set(
    mode: str, options: dict[str, object], expected: tuple[str, DataType | None], path: Path
) -> None:
    assert asked_of(with_mode(path, mode, options=options)) == expected


def test_a_model_is_planned_anew_for_another_precision(path: Path) -> None:
    context = Context()
    context.set_delegate(OpenVINODelegate())
    model = Model()
    model.build_from_file(path, context=context)
    found = [asked_of(model)[0]]
    for mode in ("preferred_fp16", "enforce_fp32"):
        context.cpu.precision_mode = mode
        model.resize(model.get_inputs(), [list(X.shape)])
        found.append(asked_of(model)[0])
    assert found == ["f32", "f16", "f32"]


def test_each_precision_has_an_entry_of_its_own(path: Path, tmp_path: Path) -> None:
    found = []
    for mode in ("preferred_fp16", "enforce_fp32", "preferred_fp16", "enforce_fp32"):
        model = with_mode(path, mode, tmp_path)
        outcome = model.compiled.cache_outcome
        assert outcome is not None
        found.append((str(outcome.status), *asked_of(model)))
    half, whole = ("f16", DataType.FLOAT16), ("f32", None)
    assert found == [("miss", *half), ("miss", *whole), ("hit", *half), ("hit", *whole)]


def test_a_compiled_model_keeps_its_precision(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "m.ldc"
    with_mode(path).compiled.export_model(file)
    imported = Core().import_model(file, "OPENVINO")
    (graph,) = imported.graph_kernels
    assert isinstance(graph, OpenVINOGraph)
    assert graph.storage_dtype is DataType.FLOAT16


def test_sums_of_integers_are_left_where_the_context_asks_for_less() -> None:
    graph = case_graph(next(iter(all_cases(["ai.onnx.MatMulInteger"]))))
    found = []
    for mode in ("enforce_fp32", "preferred_fp16"):
        context = Context()
        context.cpu.precision_mode = mode
        context.set_delegate(OpenVINODelegate())
        model = Model()
        model.build_from_graph(graph, context)
        found.append(len(model.get_graph_kernels()))
    assert found == [1, 0]


@pytest.mark.parametrize(
    ("device", "expected"),
    [("CPU", "f16"), ("GPU", "f32"), ("GPU.1", "f32"), ("NPU", "f32"), ("HETERO:GPU,CPU", "f32")],
)
def test_each_device_has_what_the_context_says_of_its_kind(device: str, expected: str) -> None:
    assert precision.wished(device) == "f32"
    kinds = {"cpu": DataType.FLOAT16, "gpu": DataType.FLOAT32}
    with wishing(Wishes(precisions=kinds)):
        assert precision.wished(device) == expected
    with wishing(Wishes(precisions={"gpu": DataType.FLOAT16, "npu": DataType.FLOAT16})):
        assert (precision.wished(device) == "f16") is device.startswith(("GPU", "NPU"))


class FakeCore:
    """A core whose devices can do certain things."""

    def __init__(self, has: Mapping[str, list[str]]) -> None:
        self._has = has

    def get_property(self, device: str, name: str) -> list[str]:
        assert name == "OPTIMIZATION_CAPABILITIES"
        return self._has[device]


@pytest.mark.parametrize(
    ("device", "hint", "expected"),
    [
        ("CPU", "f32", "f32"),
        ("CPU", "bf16", "bf16"),
        ("CPU", "f16", "f32"),
        ("GPU", "f16", "f16"),
        ("GPU", "bf16", "f32"),
        ("HETERO:GPU,CPU", "f16", "f16"),
    ],
)
def test_nodes_without_kernels_of_the_device_are_float32(
    device: str, hint: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeCore({"CPU": ["BF16", "FP32", "INT8"], "GPU": ["FP32", "FP16", "INT8"]})
    monkeypatch.setattr(precision, "core", lambda: fake)
    assert precision.computed(device, hint) == expected
