"""What nodes of an ONNX file are called there, and which of our nodes they become."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
comparing = importlib.import_module("tests.formats.onnx.comparing")
from lite_delegate.ir import Graph, Source  # noqa: E402


def names(graph: Graph) -> list[list[str]]:
    """For each node the full names of its sources."""
    return [[source.full_name for source in node.sources] for node in graph.nodes]


def everywhere(graph: Graph) -> set[str]:
    """The full names of the sources of all nodes in all graphs."""
    return {s.full_name for each in graph.all_graphs() for node in each.nodes for s in node.sources}


def test_a_node_without_a_name_is_called_by_its_first_output() -> None:
    model = comparing.parsed("g (float[2] x) => (float[2] y) { [first] a = Abs (x) y = Neg (a) }")
    graph = comparing.imported(model)
    assert [node.sources for node in graph.nodes] == [
        (Source("first", "Abs", (), (0,)),),
        (Source("y", "Neg", (), (1,)),),
    ]


def test_two_nodes_of_one_name_are_two() -> None:
    graph = comparing.imported(
        comparing.parsed("g (float[2] x) => (float[2] y) { [same] a = Abs (x) [same] y = Abs (a) }")
    )
    first, second = (node.sources for node in graph.nodes)
    assert names(graph) == [["same"], ["same"]]
    assert first != second


def test_a_node_that_becomes_several_is_on_all_of_them() -> None:
    weights = np.ones((4, 3, 1, 1), np.float32)
    model = comparing.parsed(
        "g (float[1,3,5,5] x) => (float[1,4,5,5] y) { [conv] y = Conv (x, w) }", initializers={"w": weights}
    )
    graph = comparing.imported(model)
    assert [node.op_type for node in graph.nodes] == ["Transpose", "Conv2DFusion", "Transpose"]
    assert names(graph) == [["conv"]] * 3


def test_what_becomes_no_node_is_removed() -> None:
    model = comparing.parsed(
        """g (float[2] x) => (float[2] y) {
          [two] t = Constant <value = float {2.0}> ()
          [same] a = Identity (x)
          [mul] y = Mul (a, t)
        }"""
    )
    graph = comparing.imported(model)
    assert names(graph) == [["mul"]]
    assert [source.full_name for source in graph.removed] == ["two", "same"]


def test_operators_of_other_domains_have_it_in_front() -> None:
    model = comparing.parsed(
        "g (uint8[2] x) => (uint8[2] y) { [sum] y = com.microsoft.QLinearAdd (x, s, z, x, s, z, s, z) }",
        initializers={"s": np.array(0.5, np.float32), "z": np.array(3, np.uint8)},
    )
    model.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))
    assert {s.op_type for node in comparing.imported(model).nodes for s in node.sources} == {"com.microsoft.QLinearAdd"}


def test_nodes_of_the_models_own_functions_have_the_call_in_front() -> None:
    model = comparing.parsed("g (float[2] x) => (float[2] y) { [one] a = own.Twice (x) y = own.Twice (a) }")
    model.opset_import.append(onnx.helper.make_opsetid("own", 1))
    model.functions.append(
        onnx.parser.parse_function('<domain: "own", opset_import: ["" : 21]> Twice (x) => (y) { [add] y = Add (x, x) }')
    )
    graph = comparing.imported(model)
    assert [node.sources for node in graph.nodes] == [
        (Source("add", "Add", ("one",), (0, 0)),),
        (Source("add", "Add", ("y",), (1, 0)),),
    ]
    assert graph.removed == ()


def test_nodes_of_a_body_that_onnx_itself_defines_are_the_operators_own() -> None:
    model = comparing.parsed(
        "g (float[2,3] x) => (float[2,3] y) { [norm] y = MeanVarianceNormalization <axes=[1]> (x) }"
    )
    graph = comparing.imported(model)
    assert len(graph.nodes) > 3
    assert everywhere(graph) == {"norm"}


BRANCHES = """g (bool c, float[2] x) => (float[2] y) {
  [choice] y = If (c) <
    then_branch = th () => (float[2] a) { [abs] a = Abs (x) },
    else_branch = el () => (float[2] b) { [neg] b = Neg (x) }>
}"""


def test_nodes_of_branches() -> None:
    graph = comparing.imported(comparing.parsed(BRANCHES))
    assert {name for listed in names(graph) for name in listed} == {"choice"}
    assert [names(each) for each in graph.subgraphs] == [[["choice/then/abs"]], [["choice/else/neg"]]]
    assert graph.removed == ()


def test_a_branch_in_place_of_its_node() -> None:
    graph = comparing.imported(comparing.parsed(BRANCHES.replace("bool c, ", ""), initializers={"c": np.array(True)}))
    assert names(graph) == [["choice/abs"]]
    assert [source.full_name for source in graph.removed] == ["choice"]


def test_nodes_of_loops_are_the_loops_or_the_bodys() -> None:
    model = comparing.parsed(
        """g (int64 n, float[2] x) => (float[2] y) {
          [loop] y = Loop (n, , x) <body = b (int64 i, bool go, float[2] s) => (bool again, float[2] t) {
            [same] again = Identity (go)
            [double] t = Add (s, s)
          }>
        }"""
    )
    graph = comparing.imported(model)
    assert all(node.sources for each in graph.all_graphs() for node in each.nodes)
    assert everywhere(graph) == {"loop", "loop/body/double"}
    assert [source.full_name for source in graph.removed] == ["loop/body/same"]
