"""Layers that a backend measures: in the profile of a request, and summed up in a benchmark's."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import timedelta

import numpy as np
import pytest
from click.testing import CliRunner

from lite_delegate import Context, DelegateModel, Kernel, Model
from lite_delegate.benchmark import BenchmarkOptions, RunLimits, benchmark
from lite_delegate.benchmark.reports.text import benchmark_text
from lite_delegate.cli import main
from lite_delegate.delegate import LayerTime, tell_layers
from lite_delegate.npu.execution.graph import NPUGraph
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate
from tests.runtime.graphs import chain

X = np.ones((2, 3), np.float32)


class CountingKernel(GroupKernel):
    """The second run takes twice as long as the first, the third three times."""

    runs = 0

    def execute(self) -> None:
        super().execute()
        CountingKernel.runs += 1
        took = 1.5 * CountingKernel.runs
        layers = [
            LayerTime("slow", "Conv", "jit", took, 2 * took, was_run=True, cycles=1000 * CountingKernel.runs),
            LayerTime("quick", "Add", "", 0.5, 0.5, was_run=True),
            LayerTime("gone", "Relu", "jit", 0.0, 0.0, was_run=False),
        ]
        tell_layers(self.name, layers)

    def fork(self, inputs: Sequence[object], outputs: Sequence[object]) -> Kernel | None:
        return None


class CountingDelegate(NamedDelegate):
    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        return CountingKernel("Group0", model.boundary_of(run), run)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    monkeypatch.setattr(CountingKernel, "runs", 0)
    context, built = Context(), Model()
    context.set_delegate(CountingDelegate())
    built.build_from_graph(chain(3), context)
    return built


def test_a_request_has_those_of_its_last_run(model: Model) -> None:
    request = model.compiled.create_infer_request()
    request.infer([X])
    request.infer([X])
    _, _, _, *layers = request.get_profiling_info()
    assert [each.node_name for each in layers] == ["Group0: slow", "Group0: quick", "Group0: gone"]
    assert [each.status for each in layers] == ["executed", "executed", "not run"]
    assert [each.real_time for each in layers] == [timedelta(microseconds=us) for us in (3, 0.5, 0)]
    assert [each.cpu_time for each in layers] == [timedelta(microseconds=us) for us in (6, 0.5, 0)]
    assert [each.node_type for each in layers] == ["Conv", "Add", "Relu"]
    assert [each.exec_type for each in layers] == ["jit", "Group", "jit"]
    assert [each.cycles for each in layers] == [2000, None, None]
    assert not any(each.is_estimate for each in layers)


def test_nobody_needs_to_listen(model: Model) -> None:
    (y,) = model.predict([X])
    np.testing.assert_array_equal(y.get_data_to_numpy(), X + 6)


def test_a_benchmark_sums_them_up(model: Model) -> None:
    options = BenchmarkOptions(warmup=0, limits=RunLimits(runs=2, seconds=None), profile=True)
    report = benchmark(model, {"x": X}, options).report
    assert report.profile is not None
    (subgraph,) = report.profile.subgraphs
    runs = CountingKernel.runs
    assert [(each.name, each.type, each.implementation, each.count) for each in subgraph.layers] == [
        ("slow", "Conv", "jit", 2),
        ("quick", "Add", "", 2),
    ]
    assert [each.total_us for each in subgraph.layers] == [1.5 * (runs + runs - 1), 1.0]
    assert [each.total_cycles for each in subgraph.layers] == [1000 * (runs + runs - 1), None]
    (found,) = report.profile.to_dict()["subgraphs"]
    assert found["layers"][1] == {
        "name": "quick",
        "type": "Add",
        "implementation": "",
        "count": 2,
        "total_us": 1.0,
        "is_estimate": False,
        "total_cycles": None,
        "macs": None,
        "memory_bytes": None,
    }


def test_the_command_shows_them(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lite_delegate.formats.ms import write_ms

    write_ms(chain(3), tmp_path / "m.ms")
    command = ["benchmark", str(tmp_path / "m.ms"), "--delegate", f"{__name__}:CountingDelegate", "--runs", "2"]
    shown = CliRunner().invoke(main, [*command, "--profile"])
    assert shown.exit_code == 0, shown.output
    table = shown.output.partition("Layers of the subgraphs\n")[2].splitlines()
    assert table[0].endswith("mean cycles")
    assert re.fullmatch(r"\d+,\d00", table[2].split()[-1])
    assert len(table[3].split()) == len(table[2].split()) - 2, "no implementation, and no cycles"
    assert table[0].split()[:5] == ["layer", "operator", "in", "by", "count"]
    assert [line.split()[:4] for line in table[2:4]] == [
        ["slow", "Conv", "Group0", "jit"],
        ["quick", "Add", "Group0", "1"],
    ]
    as_json = json.loads(CliRunner().invoke(main, [*command, "--profile", "--format", "json"]).output)
    assert [each["name"] for each in as_json["profile"]["subgraphs"][0]["layers"]] == ["slow", "quick"]


@pytest.fixture
def with_view() -> Model:
    """Relu, a Reshape that moves nothing, Sigmoid: all on the simulated NPU, which counts."""
    from onnx import TensorProto, helper

    from lite_delegate.formats.onnx import read_onnx_buffer
    from lite_delegate.npu import NPUDelegate

    def info(name: str, shape: list[int]):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    nodes = [
        helper.make_node("Relu", ["x"], ["a"], name="relu"),
        helper.make_node("Reshape", ["a", "shape"], ["b"], name="view"),
        helper.make_node("Sigmoid", ["b"], ["y"], name="sigmoid"),
    ]
    shape = helper.make_tensor("shape", TensorProto.INT64, [2], [3, 2])
    graph = helper.make_graph(nodes, "g", [info("x", [2, 3])], [info("y", [3, 2])], [shape])
    context, built = Context(), Model()
    context.set_delegate(NPUDelegate(options={"PERF_COUNT": "YES"}))
    built.build_from_graph(read_onnx_buffer(helper.make_model(graph).SerializeToString()), context)
    return built


def test_a_nominal_step_is_not_run_and_small_steps_take_fractions_of_microseconds(with_view: Model) -> None:
    request = with_view.compiled.create_infer_request()
    request.infer([X])
    steps = {each.node_name.partition(": ")[2]: each for each in request.get_profiling_info()[3:]}
    (nominal,) = (each for each in steps.values() if each.status == "not run")
    assert (nominal.node_type, nominal.real_us) == ("View", 0)
    assert all(0 < each.real_us < 1 for each in steps.values() if each is not nominal)
    assert all(each.is_estimate for each in steps.values())


def test_a_benchmark_has_estimated_layers_where_they_are_counted(with_view: Model) -> None:
    report = benchmark(
        with_view, {"x": X}, BenchmarkOptions(warmup=0, limits=RunLimits(runs=3, seconds=None), profile=True)
    ).report
    assert report.profile is not None
    (subgraph,) = report.profile.subgraphs
    (kernel,) = with_view.get_graph_kernels()
    assert isinstance(kernel, NPUGraph)
    counted = {each.name: each for each in kernel.performance_counters()}
    assert {each.name for each in subgraph.layers} == {n for n, each in counted.items() if each.instruction != "View"}
    clock_mhz = kernel.models[0].cost.clock_mhz
    for layer in subgraph.layers:
        assert (layer.count, layer.is_estimate) == (3, True)
        assert layer.total_us == pytest.approx(3 * counted[layer.name].estimated_cycles / clock_mhz)
    table = benchmark_text(report).partition("Layers of the subgraphs\n")[2]
    assert "By estimate:" in table
    assert "Measured by" not in table
