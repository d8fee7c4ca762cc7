"""Files for Model Explorer: its own classes take them, and the numbers are those of the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest

from lite_delegate.report import NodeError, PartitionReport
from lite_delegate.runtime.records.records import SourceRecord
from tests.report.html import reports


def timed() -> PartitionReport:
    report = reports.small()
    named = replace(report.nodes[0], sources=(SourceRecord("/stem/conv/Conv", "Conv", (), (0,)),))
    nodes = (named, *report.nodes[1:])
    return replace(report, nodes=tuple(replace(node, host_us=10.0 * i) for i, node in enumerate(nodes)))


def graphs(report: PartitionReport) -> list[dict[str, Any]]:
    return list(json.loads(report.to_model_explorer())["graphs"])


def attributes(node: dict[str, Any]) -> dict[str, str]:
    return {each["key"]: each["value"] for each in node["attrs"]}


def test_nodes_say_where_they_run_and_why() -> None:
    (graph,) = graphs(timed())
    nodes = {node["id"]: node for node in graph["nodes"]}
    assert attributes(nodes["conv"]) == {
        "name": "/stem/conv/Conv",
        "runs on": "npu",
        "subgraph": "Group0",
        "CPU time": "0.0 us",
        "in the file": "/stem/conv/Conv (Conv)",
        "stride": "(2, 2)",
    }
    refused = attributes(nodes["beside"])
    assert (refused["runs on"], refused["code"]) == ("CPU", "OPERATOR")
    assert (refused["reason"], refused["hint"]) == ("the device has no Where", "take a profile with Where")
    assert nodes["conv"]["namespace"] == "stem/conv"
    colors = [nodes[name]["style"]["backgroundColor"] for name in ("conv", "add", "beside", reports.EVIL)]
    assert colors[2] == colors[3]
    assert len(set(colors)) == 3
    assert graph["groupNodeAttributes"][""]["delegated"] == "2 of 4"


def test_edges_are_the_tensors_of_the_report() -> None:
    """x -> conv -> evil -> add -> y, conv -> add, x -> beside -> side."""
    (graph,) = graphs(timed())
    labels = {node["id"]: node["label"] for node in graph["nodes"] if ":" in node["id"]} | {
        node["id"]: node["id"] for node in graph["nodes"] if ":" not in node["id"]
    }
    found = {
        (labels[edge["sourceNodeId"]], labels[node["id"]])
        for node in graph["nodes"]
        for edge in node.get("incomingEdges", ())
    }
    evil = reports.EVIL
    wanted = {("x", "conv"), ("conv", evil), (evil, "add"), ("conv", "add"), ("add", "y"), ("x", "beside")}
    assert found == {*wanted, ("beside", "side")}


def test_a_graph_that_is_called_is_a_graph_of_its_own() -> None:
    found = {
        graph["id"]: [node["id"] for node in graph["nodes"]] for graph in graphs(reports.with_a_subgraph_of_the_model())
    }
    assert set(found) == {"main", "body"}
    assert "inner" in found["body"]


def test_node_data_has_times_by_name_and_by_output() -> None:
    data = json.loads(timed().to_node_data())
    assert {key: each["value"] for key, each in data["main"]["results"].items()} == {
        "conv": 0.0,
        "first": 0.0,
        reports.EVIL: 10.0,
        "second": 10.0,
        "add": 20.0,
        "y": 20.0,
        "beside": 30.0,
        "side": 30.0,
    }
    assert [stop["stop"] for stop in data["main"]["gradient"]] == [0, 1]
    assert json.loads(reports.small().to_node_data())["main"]["results"] == {}


def with_errors() -> PartitionReport:
    errors = (NodeError("conv", "", 0.1, "wrong", "kernel"), NodeError("add", "", 0.0, "ok", "subgraph"))
    return replace(timed(), errors=errors)


def test_nodes_say_their_errors() -> None:
    (graph,) = graphs(with_errors())
    told = {node["id"]: attributes(node) for node in graph["nodes"] if "attrs" in node}
    assert told["conv"]["own error"] == "20 dB, by itself"
    assert told["add"]["own error"] == "exact, of its subgraph as a whole"
    assert "own error" not in told["beside"]
    (lacking,) = graphs(replace(with_errors(), errors=with_errors().errors[:1]))
    assert {n["id"]: attributes(n) for n in lacking["nodes"] if "attrs" in n}["add"]["own error"] == "not known"


def test_node_data_has_errors_where_they_are_known() -> None:
    """Warm at 20 dB, and cool from there on: the other node is exact."""
    data = json.loads(with_errors().to_node_data())["main"]
    assert data["name"] == "own error (SNR, dB)"
    found = {key: each["value"] for key, each in data["results"].items()}
    assert found == {"conv": 20.0, "first": 20.0, "add": 200.0, "y": 200.0}
    assert [stop["stop"] for stop in data["gradient"]] == [0, 1]
    third = NodeError("conv", "", 0.01, "ok", "kernel"), NodeError("add", "", None, "failed", "kernel")
    nothing_left = json.loads(replace(timed(), errors=third).to_node_data())["main"]
    assert {each["value"] for each in nothing_left["results"].values()} == {40.0, -100.0}


def test_the_gradient_of_errors_leaves_exact_nodes_aside() -> None:
    """Of 20, 65 and 200 dB, cool begins at (65 - 20) / (200 - 20)."""
    report = reports.with_two_delegates()
    noises = {"a": 0.1, "b": 10**-3.25, "c": 0.0}
    errors = tuple(NodeError(name, "", noise, "ok", "kernel") for name, noise in noises.items())
    data = json.loads(replace(report, errors=errors).to_node_data())["main"]
    assert [stop["stop"] for stop in data["gradient"]] == pytest.approx([0, 0.25, 1])
    assert data["gradient"][1]["bgColor"] == data["gradient"][2]["bgColor"]


@pytest.mark.parametrize("make", [timed, with_errors])
def test_model_explorer_has_all_the_fields(make: Callable[[], PartitionReport]) -> None:
    builder = pytest.importorskip("model_explorer.graph_builder", reason="needs ai-edge-model-explorer")
    data = pytest.importorskip("model_explorer.node_data_builder", reason="needs ai-edge-model-explorer")
    known = {
        cls.__name__: {each.name for each in fields(cls)}
        for cls in vars(builder).values()
        if isinstance(cls, type) and hasattr(cls, "__dataclass_fields__")
    }
    collection = json.loads(make().to_model_explorer())
    assert collection["label"] == "small.ms"
    assert set(collection) <= known["GraphCollection"]
    for graph in collection["graphs"]:
        assert set(graph) <= known["Graph"]
        for node in graph["nodes"]:
            builder.GraphNode(**node)
            assert "namespace" in node  # the page reads it of every node
            for edge in node.get("incomingEdges", ()):
                builder.IncomingEdge(**edge)
            for item in (*node.get("inputsMetadata", ()), *node.get("outputsMetadata", ())):
                builder.MetadataItem(**item)
            builder.GraphNodeStyle(**node.get("style", {}))
    for each in json.loads(make().to_node_data()).values():
        data.GraphNodeData(**each)
        for result in each["results"].values():
            data.NodeDataResult(**result)
        for item in each["gradient"]:
            data.GradientItem(**item)
