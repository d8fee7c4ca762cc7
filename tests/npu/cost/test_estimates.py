"""Estimates from a delegate's graph kernels to the partition report."""

import json
import logging
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.networks import NetBuilder
from lite_delegate import Context, Delegate, InputError, Kernel, Model, Supported
from lite_delegate.ir import Graph
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.execution.graph import NPUGraph
from lite_delegate.npu.profiles import load_profile
from lite_delegate.report import PartitionReport, partition_report
from lite_delegate.testing.delegates import NamedDelegate
from tests.present import present
from tests.runtime.graphs import chain


def small_net() -> Graph:
    net = NetBuilder("small", (1, 32, 32, 8), fused=True)
    x = net.conv(net.input, 16, 3, activation="RELU6")
    y = net.conv(x, 16, 3, group=16, activation="RELU6")
    return net.graph(net.add(x, y))


def built(delegate: Delegate, graph: Graph | None = None) -> Model:
    context, model = Context(), Model()
    context.set_delegate(delegate)
    model.build_from_graph(graph or small_net(), context)
    return model


def report_on(profile: str, **options: object) -> PartitionReport:
    return partition_report(built(NPUDelegate(profile, options=options)))


class Recording(NPUDelegate):
    """Keeps the graph kernels that it makes."""

    def create_graph_kernel(self, run, model):
        kernel = super().create_graph_kernel(run, model)
        assert isinstance(kernel, NPUGraph)
        self.kernels = [*getattr(self, "kernels", []), kernel]
        return kernel


def kernel_with(**options: object) -> NPUGraph:
    delegate = Recording("npu3720", options=options)
    built(delegate)
    (kernel,) = delegate.kernels
    assert isinstance(kernel, NPUGraph)
    return kernel


def test_the_report_has_the_estimate_of_each_subgraph_and_calls_it_one():
    report = report_on("npu3720")
    (subgraph,) = report.subgraphs
    assert subgraph.estimated_us is not None
    assert subgraph.estimated_us > 50.0  # the launch alone
    assert report.estimated_us == subgraph.estimated_us
    data = json.loads(report.to_json())
    assert data["subgraphs"][0]["estimated_us"] == data["estimated_us"] == subgraph.estimated_us
    text = report.to_text()
    assert "estimated us" in text
    assert f"{subgraph.estimated_us:,.1f} us per prediction in subgraphs (an estimate, not measured)" in text
    assert max(map(len, text.splitlines())) <= 100


def test_the_estimate_is_that_of_the_graph_kernel():
    delegate = Recording("npu3720")
    report = partition_report(built(delegate))
    estimate = delegate.kernels[0].estimate()
    assert estimate is not None
    assert report.estimated_us == estimate.estimated_us
    assert {layer for each in estimate.layers for layer in each.layers} == {node.name for node in report.nodes}


def test_a_delegate_without_estimates_has_none_in_the_report():
    report = partition_report(built(NamedDelegate(["n0", "n2"]), chain(4)))
    assert [s.estimated_us for s in report.subgraphs] == [None, None]
    assert report.estimated_us is None
    assert json.loads(report.to_json())["estimated_us"] is None
    assert "estimated" not in report.to_text()


def test_the_sum_is_not_given_where_one_part_is_not_known():
    report = partition_report(built(NamedDelegate(["n0", "n2"]), chain(4)))
    known, unknown = report.subgraphs
    partly = replace(report, subgraphs=(replace(known, estimated_us=12.5), unknown))
    assert partly.estimated_us is None
    assert partly.to_text().count("12.5") == 1
    assert "us per prediction" not in partly.to_text()
    wholly = replace(report, subgraphs=(*partly.subgraphs[:1], replace(unknown, estimated_us=0.5)))
    assert wholly.estimated_us == 13.0


def test_an_estimate_that_fails_is_said_and_does_not_stop_the_build(caplog):
    class Failing(Kernel):
        def execute(self):
            raise AssertionError

        def estimate(self):
            raise RuntimeError("no figures")

    class FailingDelegate(NamedDelegate):
        def supports(self, kernel):
            return Supported()

        def create_graph_kernel(self, run, model):
            boundary = model.boundary_of(run)
            return Failing("Group0", "Group", boundary.inputs, boundary.outputs)

    with caplog.at_level(logging.WARNING, "lite_delegate"):
        report = partition_report(built(FailingDelegate([]), chain(2)))
    assert report.subgraphs[0].estimated_us is None
    assert "graph kernel 'Group0' has no estimate: no figures" in caplog.text


def test_estimates_depend_on_the_profile_and_on_what_it_is_told():
    times = {
        name: present(report_on(name).estimated_us) for name in ("generic", "npu3720", "npu4000", "kirin", "myriad_x")
    }
    assert len(set(times.values())) == 5
    assert times["npu4000"] < times["npu3720"]
    turbo = report_on("npu3720", NPU_TURBO="YES").estimated_us
    assert turbo is not None
    assert turbo < times["npu3720"]


@pytest.mark.shows("NPU", "PERF_COUNT")
def test_counters_are_there_when_asked_for():
    kernel = kernel_with(PERF_COUNT="YES")
    counters = kernel.performance_counters()
    estimate = kernel.estimate()
    assert estimate is not None
    assert [c.name for c in counters] == [layer.name for layer in estimate.layers]
    assert sum(c.estimated_bytes for c in counters) == estimate.estimated_bytes
    by_instruction = {c.instruction for c in counters}
    assert {"CopyIn", "CopyOut", "Convolution", "DepthwiseConvolution", "Binary"} <= by_instruction
    assert all(c.estimated_cycles > 0 for c in counters if c.instruction == "Convolution")


def test_the_time_spent_waiting_for_input_is_one_more_counter():
    plain = kernel_with(PERF_COUNT="YES").performance_counters()
    asked = kernel_with(PERF_COUNT="YES", VPU_PRINT_RECEIVE_TENSOR_TIME="YES").performance_counters()
    assert (asked[0].name, asked[0].instruction) == ("waiting for input", "Wait")
    assert asked[1:] == plain


def test_the_estimate_has_that_time_on_request():
    assert kernel_with().estimate().input_wait_us is None
    kernel = kernel_with(PERF_COUNT="YES", VPU_PRINT_RECEIVE_TENSOR_TIME="YES")
    clock = load_profile("npu3720").compute.clock_mhz[2]
    assert kernel.estimate().input_wait_us == kernel.performance_counters()[0].estimated_cycles / clock


def test_counters_that_were_not_asked_for_are_rejected():
    with pytest.raises(InputError, match=r"'NpuGraph0' has no performance counters: .* PERF_COUNT to YES"):
        kernel_with().performance_counters()


def test_counting_changes_no_result():
    x = np.random.default_rng(0).standard_normal((1, 32, 32, 8), np.float32)
    plain = built(NPUDelegate()).predict({"input": x})
    counted = built(NPUDelegate(options={"PERF_COUNT": "YES"})).predict({"input": x})
    for a, b in zip(plain, counted, strict=True):
        np.testing.assert_array_equal(a.get_data_to_numpy(), b.get_data_to_numpy())
