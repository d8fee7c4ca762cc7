"""ONNX files for Netron: the package ``onnx`` reads and checks them; facts of nodes are in their metadata."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from lite_delegate import Context, Model
from lite_delegate.demo import model_path
from lite_delegate.npu import NPUDelegate
from lite_delegate.report import NodeError, PartitionReport, partition_report
from lite_delegate.runtime.records.records import SourceRecord, TensorRecord
from tests.report.html import reports

onnx = pytest.importorskip("onnx")


def read(report: PartitionReport) -> Any:
    model = onnx.load_model_from_string(report.to_netron())
    onnx.checker.check_model(model, full_check=True)
    return model


def facts(thing: Any) -> dict[str, str]:
    return {entry.key: entry.value for entry in thing.metadata_props}


def nodes(report: PartitionReport) -> dict[str, Any]:
    return {node.name: node for node in read(report).graph.node}


def small() -> PartitionReport:
    report = reports.small()
    named = replace(report.nodes[0], sources=(SourceRecord("/stem/conv/Conv", "Conv", (), (0,)),), host_us=12.5)
    errors = (NodeError("conv", "", 0.1, "wrong", "kernel"),)
    return replace(report, nodes=(named, *report.nodes[1:]), errors=errors)


def test_nodes_say_where_they_run_and_why() -> None:
    found = nodes(small())
    conv, beside = found["/stem/conv/Conv"], found["beside"]
    assert (conv.op_type, conv.domain) == ("Conv", "lite_delegate")
    assert facts(conv) == {
        "runs on": "npu",
        "subgraph": "Group0",
        "CPU time": "12.5 us",
        "own error": "20 dB, by itself",
        "in the file": "/stem/conv/Conv (Conv)",
        "planned as": "conv (Conv2DFusion)",
    }
    assert conv.doc_string == "runs on: npu; subgraph: Group0; CPU time: 12.5 us; own error: 20 dB, by itself"
    assert facts(beside) == {
        "runs on": "CPU",
        "code": "OPERATOR",
        "reason": "the device has no Where",
        "hint": "take a profile with Where",
    }
    assert facts(found["add"])["own error"] == "not known"
    assert {attribute.name: list(attribute.ints) for attribute in conv.attribute} == {"stride": [2, 2]}


def test_the_graph_has_the_tensors_of_the_report() -> None:
    """x -> conv -> evil -> add -> y, conv -> add, x -> beside -> side; conv has a weight."""
    model = read(small())
    edges = {(name, node.name) for node in model.graph.node for name in node.input}
    wanted = {("x", "/stem/conv/Conv"), ("weight", "/stem/conv/Conv"), ("first", reports.EVIL), ("x", "beside")}
    assert edges == {*wanted, ("second", "add"), ("first", "add")}
    assert [each.name for each in model.graph.input] == ["x"]
    assert [each.name for each in model.graph.output] == ["y", "side"]
    shapes = {each.name: [dim.dim_value for dim in each.type.tensor_type.shape.dim] for each in model.graph.value_info}
    assert shapes == {"first": [1, 4, 4], "second": [1, 4, 4]}
    assert facts(model)["delegated"] == "2 of 4"


def test_weights_have_shapes_and_no_contents() -> None:
    context, model = Context(), Model()
    context.set_delegate(NPUDelegate())
    model.build_from_file(model_path(), context=context)
    report = partition_report(model)
    found = read(report)
    assert len(report.to_netron()) < model_path().stat().st_size / 4
    dims = {each.values.name: list(each.dims) for each in found.graph.sparse_initializer}
    assert dims["stem/conv/weight"] == [16, 3, 3, 1]
    constants = {t.name for node in report.nodes for t in node.inputs if t.constant}
    assert constants == dims.keys() | {each.name for each in found.graph.initializer}
    assert len(found.graph.node) == report.kernels_total


@pytest.mark.parametrize(
    ("dtype", "shape", "dims"),
    [
        ("FLOAT32", (), []),
        ("INT64", (0, 3), [0, 3]),
        ("BFLOAT16", (), [1]),
        ("BFLOAT16", (2, 3), [2, 3]),
        ("STRING", (4,), [4]),
        ("STRING", (), [1]),
    ],
)
def test_constants_of_all_kinds(dtype: str, shape: tuple[int, ...], dims: list[int]) -> None:
    report = reports.small()
    conv = replace(report.nodes[0], inputs=(report.inputs[0], TensorRecord(1, "weight", dtype, shape, 0, True)))
    graph = read(replace(report, nodes=(conv, *report.nodes[1:]))).graph
    found = [list(each.dims) for each in (*graph.initializer, *graph.sparse_initializer)]
    assert found == [dims]


def test_shapes_that_are_not_known_are_open() -> None:
    report = reports.small()
    open_input, no_rank = TensorRecord(8, "w", "FLOAT32", (-1, 3), 0), TensorRecord(9, "z", "BFLOAT16", None, 0)
    last = replace(report.nodes[3], outputs=(no_rank,))
    graph = read(replace(report, inputs=(open_input,), outputs=(no_rank,), nodes=(*report.nodes[:3], last))).graph
    dims = [dim.dim_param or dim.dim_value for dim in graph.input[0].type.tensor_type.shape.dim]
    assert dims == ["?", 3]
    assert [dim.dim_param for dim in graph.output[0].type.tensor_type.shape.dim] == ["rank unknown"]
    assert graph.output[0].type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16


def test_tensors_of_one_name_are_told_apart() -> None:
    x, a, b, y = (TensorRecord(i, "same" if i % 2 else "", "FLOAT32", (1,), 4) for i in range(4))
    chain = [("one", x, a), ("two", a, b), ("three", b, y)]
    made = tuple(reports.taken(name, "Abs", (take,), give, "Group0") for name, take, give in chain)
    model = read(replace(reports.small(), nodes=made, inputs=(x,), outputs=(y,)))
    read_by = [(*node.input, *node.output) for node in model.graph.node]
    assert read_by == [("tensor#0", "same#1"), ("same#1", "tensor#2"), ("tensor#2", "same#3")]


def test_attributes_that_onnx_has_no_room_for_are_text() -> None:
    report = reports.small()
    odd: dict[str, Any] = {
        "none": None,
        "flag": True,
        "huge": 2**70,
        "double": 1e300,
        "names": ("a", "b"),
        "empty": (),
        "nested": ((1, 2), (3,)),
        "mixed": (1, 0.5),
        "inside": {"a": 1},
    }
    graph = read(replace(report, nodes=(replace(report.nodes[0], attributes=odd), *report.nodes[1:]))).graph
    found = {each.name: onnx.helper.get_attribute_value(each) for each in graph.node[0].attribute}
    assert found == {
        "flag": 1,
        "huge": str(2**70).encode(),
        "double": b"1e+300",
        "names": [b"a", b"b"],
        "empty": [],
        "nested": b"((1, 2), (3,))",
        "mixed": [1.0, 0.5],
        "inside": b"{'a': 1}",
    }


def test_a_graph_that_is_called_is_a_function() -> None:
    model = read(reports.with_a_subgraph_of_the_model())
    (function,) = model.functions
    assert (function.domain, function.name) == ("lite_delegate.graphs", "body")
    assert [facts(node)["subgraph"] for node in function.node] == ["Group0"]
    assert (list(function.input), list(function.output)) == (["t2"], ["t3"])
    assert [node.name for node in model.graph.node] == ["outer"]


def test_an_output_that_is_an_input_or_a_constant_is_a_copy() -> None:
    x, constant = reports.tensor(0, "x"), reports.tensor(1, "c", constant=True)
    nothing = replace(reports.small(), nodes=(), subgraphs=(), kernels_total=0, kernels_delegated=0)
    graph = read(replace(nothing, inputs=(x,), outputs=(x, constant))).graph
    assert [(node.op_type, list(node.input)) for node in graph.node] == [("Identity", ["x"]), ("Identity", ["c"])]
    assert [each.name for each in graph.output] == ["x#output", "c#output"]
