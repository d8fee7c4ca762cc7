"""Mixtures of the host, ONNX Runtime and OpenVINO: whatever runs where, the results are the host's."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate import Context, Model, PartitionOptions
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.inference.placing import mixture_search
from lite_delegate.ir import Graph
from tests.passes.random_graphs import Builder, random_inputs, run

pytest.importorskip("openvino", reason="openvino is not installed")

from lite_delegate.backends.openvino import OpenVINODelegate

CLOSE = 1e-4


def network() -> Graph:
    """Convolutions with a shortcut around two of them."""
    b = Builder()
    first = b.node("Activation", b.conv(b.input("x", (1, 3, 8, 8)), 4), activation_type="HSWISH")
    second = b.node("Activation", b.conv(first, 4), activation_type="RELU")
    joined = b.node("AddFusion", b.conv(second, 4), first)
    return b.graph(b.node("Activation", joined, activation_type="SIGMOID"), joined)


def built(graph: Graph, options: PartitionOptions) -> Model:
    context = Context()
    context.cpu.thread_num = 1
    context.set_delegates([OnnxRuntimeDelegate(), OpenVINODelegate()])
    context.partition = options
    model = Model()
    model.build_from_graph(graph, context)
    return model


def test_any_placement_gives_the_same_results() -> None:
    graph, rng = network(), np.random.default_rng(0)
    inputs = random_inputs(graph)
    wanted = run(graph, inputs)
    names = [node.name for node in built(graph, PartitionOptions()).get_partition().nodes]
    for _ in range(6):
        affinity = {name: str(rng.choice(["CPU", "onnxruntime", "openvino"])) for name in names}
        model = built(graph, PartitionOptions(affinity=affinity))
        assert {node.name: node.device for node in model.get_partition().nodes} == affinity
        for got, want in zip(model.predict(inputs), wanted, strict=True):
            np.testing.assert_allclose(got.data, want, rtol=CLOSE, atol=CLOSE)


@pytest.mark.parametrize("device", ["onnxruntime", "openvino"])
def test_what_the_host_hands_over_out_of_order_lasts_as_long_as_it_is_read(device: str) -> None:
    """A transpose of the host is a view: the backend reads a copy of it."""
    graph = network()
    inputs = random_inputs(graph)
    wanted = run(graph, inputs)
    names = [node.name for node in built(graph, PartitionOptions()).get_partition().nodes]
    affinity = {name: device if name.startswith(("Activation", "AddFusion")) else "CPU" for name in names}
    model = built(graph, PartitionOptions(affinity=affinity))
    for _ in range(2):
        for got, want in zip(model.predict(inputs), wanted, strict=True):
            np.testing.assert_allclose(got.data, want, rtol=CLOSE, atol=CLOSE)


def test_the_way_to_a_mixture_with_real_backends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Predictions of this network are short: they are taken for longer ones, and anything for a gain."""
    monkeypatch.setattr(mixture_search, "SHORTEST_US", 0.0)
    monkeypatch.setattr(mixture_search, "NOISE", 0.0)
    graph = network()
    model = built(graph, PartitionOptions(placement="fastest", calibration_ms=None))
    rows = model.get_partition().alternatives
    assert {"onnxruntime", "openvino", "CPU"} <= {row.plan for row in rows}
    assert sum(row.chosen for row in rows) == 1
    assert all(row.measured_us is not None or row.reason for row in rows)
    inputs = random_inputs(graph)
    for got, want in zip(model.predict(inputs), run(graph, inputs), strict=True):
        np.testing.assert_allclose(got.data, want, rtol=CLOSE, atol=CLOSE)
