"""What nodes were in the file, kept by passes."""

from __future__ import annotations

import importlib
import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from lite_delegate.formats import read_model
from lite_delegate.ir import DataType, Graph, Node, Source, Value, make_primitive, topological_order
from lite_delegate.passes import GraphPass, run_passes
from lite_delegate.passes.framework.provenance import hand_down, with_removed
from lite_delegate.passes.optimize import GENERAL, optimize
from tests.passes.random_graphs import graphs

PASSES = {each.name: each for each in GENERAL}


def node(name: str, *sources: str) -> Node:
    """A node with sources that stand in the file in alphabetical order."""
    x, y = (Value(each, DataType.FLOAT32, (2,)) for each in "xy")
    return Node(name, make_primitive("Abs"), [x], [y], sources=tuple(source(each) for each in sources))


def source(name: str) -> Source:
    return Source(name, "Abs", (), (ord(name[0]),))


def names(each: Node) -> list[str]:
    return [s.name for s in each.sources]


def remembered(graph: Graph) -> set[Source]:
    """The sources of all nodes, and those that were removed."""
    return {s for each in graph.all_graphs() for n in each.nodes for s in n.sources} | set(graph.removed)


def test_one_node_in_place_of_several_has_the_sources_of_all_in_the_order_of_the_file() -> None:
    made = node("made")
    hand_down([node("2", "b"), node("1", "a", "c")], [made])
    assert names(made) == ["a", "b", "c"]


def test_several_nodes_in_place_of_one_all_have_its_sources() -> None:
    made = [node("before"), node("copy", "a"), node("behind")]
    hand_down([node("old", "a")], made)
    assert [names(each) for each in made] == [["a"], ["a"], ["a"]]


def test_a_changed_copy_takes_what_nobody_else_has() -> None:
    made = node("copy", "a")
    hand_down([node("1", "a"), node("2", "b")], [made])
    assert names(made) == ["a", "b"]


def test_nodes_that_change_places_keep_their_own() -> None:
    made = [node("copy of 2", "b"), node("copy of 1", "a")]
    hand_down([node("1", "a"), node("2", "b")], made)
    assert [names(each) for each in made] == [["b"], ["a"]]


def test_new_nodes_take_the_rest_before_copies_do() -> None:
    made = [node("copy of 1", "a"), node("new")]
    hand_down([node("1", "a"), node("2", "b")], made)
    assert [names(each) for each in made] == [["a"], ["b"]]


def test_old_nodes_that_stay_are_not_changed() -> None:
    old, made = node("old", "a"), node("new")
    hand_down([old, node("gone", "b")], [old, made])
    assert (names(old), names(made)) == (["a"], ["b"])


def test_what_no_node_has_any_more_is_removed() -> None:
    x, y = Value("x", DataType.FLOAT32, (2,)), Value("y", DataType.FLOAT32, (2,))
    before = Graph("g", [x], [y], [node("1", "a"), node("2", "c", "b")], removed=(source("d"),))
    after = Graph("g", [x], [y], [node("1", "c")], removed=(source("d"),))
    assert with_removed(before, after).removed == (source("a"), source("b"), source("d"))
    assert with_removed(before, before) is before


# Random graphs.


def with_sources(graph: Graph) -> Graph:
    """The graph, each node of which is one of a file."""
    for position, each in enumerate(graph.nodes):
        each.sources = (Source(f"n{position}", each.op_type, (), (position,)),)
    return graph


@pytest.mark.parametrize("each", PASSES.values(), ids=PASSES.keys())
@given(graph=graphs())
@settings(max_examples=40)
def test_every_pass_remembers_every_node_of_the_file(each: GraphPass, graph: Graph) -> None:
    """1. Each node of the file is in a node of the result or among what was removed, and nothing else is.
    2. What gave a value that is still there is in the node that gives it now or in one before it, or was removed as it
       changes nothing. Transposes move to other places and cancel each other out.
    """
    before = with_sources(graph)
    after = run_passes(before, [each]).graph
    _check_remembered(before, after)
    _check_makers(before, after)


@given(graph=graphs(20))
@settings(max_examples=60)
def test_all_passes_together_remember_every_node_of_the_file(graph: Graph) -> None:
    before = with_sources(graph)
    after = optimize(before).graph
    _check_remembered(before, after)
    _check_makers(before, after)


def _check_remembered(before: Graph, after: Graph) -> None:
    assert remembered(after) == remembered(before)
    on_nodes = {s for each in after.nodes for s in each.sources}
    assert not on_nodes & set(after.removed)
    assert all(each.sources for each in after.nodes if each.op_type != "Transpose")


def _check_makers(before: Graph, after: Graph) -> None:
    behind = _sources_up_to(after)
    for value, maker in before.producers().items():
        if value in behind and maker.op_type != "Transpose":
            assert set(maker.sources) <= behind[value] | set(after.removed), maker


def _sources_up_to(graph: Graph) -> dict[Value, set[Source]]:
    """For each value that a node gives the sources of that node, and of all nodes that it depends on."""
    found: dict[Value, set[Source]] = {}
    for each in topological_order(graph):
        known = set(each.sources).union(*(found.get(v, ()) for v in each.inputs if v is not None))
        found.update(dict.fromkeys(each.outputs, known))
    return found


# Patterns.

PATTERNS = {
    "gelu": """g (float[4,8] x) => (float[4,8] y) {
      r = Constant <value = float {1.41421356}> ()
      h = Constant <value = float {0.5}> ()
      [div] a = Div (x, r) [erf] b = Erf (a) [add] c = Add (b, one) [mul] d = Mul (x, c) [half] y = Mul (d, h) }""",
    "swish": "g (float[4,8] x) => (float[4,8] y) { [sigmoid] a = Sigmoid (x) [mul] y = Mul (x, a) }",
    "layer norm": """g (float[4,8] x) => (float[4,8] y) {
      two = Constant <value = float {2.0}> () e = Constant <value = float {0.00001}> ()
      [mean] m = ReduceMean <keepdims=1> (x, axes) [sub] d = Sub (x, m) [pow] p = Pow (d, two)
      [var] v = ReduceMean <keepdims=1> (p, axes) [eps] q = Add (v, e) [sqrt] s = Sqrt (q) [div] n = Div (d, s)
      [gamma] g = Mul (n, scale) [beta] y = Add (g, shift) }""",
    "matmul": """g (float[8,4] x, float[8,5] z) => (float[4,5] y) {
      [turn] t = Transpose <perm=[1,0]> (x) [matmul] y = MatMul (t, z) }""",
    "batch norm": """g (float[1,3,6,6] x) => (float[1,4,6,6] y) {
      [conv] a = Conv (x, w) [norm] b = BatchNormalization (a, ones, zeros, zeros, ones) [relu] y = Relu (b) }""",
    "casts": """g (uint8[1,3,6,6] x) => (uint8[1,4,6,6] y) {
      [real] a = DequantizeLinear (x, step, middle) [weights] k = DequantizeLinear (wq, step, zero)
      [conv] b = Conv (a, k) [whole] y = QuantizeLinear (b, step, middle) }""",
    "the same twice": """g (float[4,8] x) => (float[4,8] y) {
      [one] a = Abs (x) [two] b = Abs (x) [add] y = Add (a, b) }""",
}
CONSTANTS: dict[str, Any] = {
    "axes": np.array([-1], np.int64),
    "scale": np.linspace(1, 2, 8, dtype=np.float32),
    "shift": np.linspace(2, 3, 8, dtype=np.float32),
    "w": np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3, 1, 1),
    "wq": np.arange(-6, 6, dtype=np.int8).reshape(4, 3, 1, 1),
    "one": np.array(1, np.float32),
    "ones": np.full(4, 1, np.float32),
    "zeros": np.zeros(4, np.float32),
    "step": np.array(0.5, np.float32),
    "middle": np.array(128, np.uint8),
    "zero": np.array(0, np.int8),
}


def optimized(text: str) -> Graph:
    """A model in ONNX's textual form, with the constants that it reads."""
    pytest.importorskip("onnxruntime")
    comparing = importlib.import_module("tests.formats.onnx.comparing")
    used = {name: data for name, data in CONSTANTS.items() if re.search(rf"[( ]{name}[,)]", text)}
    return optimize(comparing.imported(comparing.parsed(text, initializers=used))).graph


@pytest.mark.parametrize(
    ("pattern", "on_nodes"),
    [
        ("gelu", [["div", "erf", "add", "mul", "half"]]),
        ("swish", [["sigmoid", "mul"]]),
        ("layer norm", [["mean", "sub", "pow", "var", "eps", "sqrt", "div", "gamma", "beta"]]),
        ("matmul", [["turn", "matmul"]]),
        ("batch norm", [["conv"], ["conv", "norm", "relu"], ["norm"]]),
        ("casts", [["conv"], ["real", "weights", "conv", "whole"], ["conv"]]),
        ("the same twice", [["one", "two"], ["add"]]),
    ],
)
def test_a_fused_node_knows_all_that_it_was(pattern: str, on_nodes: list[list[str]]) -> None:
    graph = optimized(PATTERNS[pattern])
    assert [names(each) for each in graph.nodes] == on_nodes
    assert {s.op_type for s in graph.removed} <= {"Constant"}


def test_what_is_worked_out_or_changes_nothing_is_removed() -> None:
    graph = optimized(
        """g (float[4,8] x) => (float[4,8] y) {
          [same] a = Cast <to=1> (x) [none] b = Mul (a, one) [doubled] k = Add (scale, scale) [mul] y = Mul (b, k) }"""
    )
    assert [names(each) for each in graph.nodes] == [["mul"]]
    assert [s.name for s in graph.removed] == ["same", "none", "doubled"]


# Real models.


@pytest.mark.shared
@pytest.mark.parametrize(
    "name",
    [
        "ds_cnn_kws_f32.tflite",
        "ds_cnn_kws_int8.tflite",
        "lenet_tod_infer.ms",
        "mobilenetv2_100.skel.onnx",
        "resnet50.skel.onnx",
    ],
)
def test_every_pass_remembers_every_node_of_a_real_model(name: str, shared_models: Path, tmp_path: Path) -> None:
    graph = read_model(_filled(shared_models / name, tmp_path))
    everything = remembered(graph)
    assert len(everything) >= 10
    for each in GENERAL:
        after = run_passes(graph, [each]).graph
        _check_remembered(graph, after)
        _check_makers(graph, after)
        graph = after
    assert remembered(graph) == everything
    assert {s.op_type for s in graph.removed} <= {"Constant"}


def _filled(path: Path, folder: Path) -> Path:
    """The model with weights, where they were taken out."""
    if ".skel" not in path.name:
        return path
    onnx = pytest.importorskip("onnx")
    made = folder / path.name.replace(".skel", "")
    fill = runpy.run_path(str(path.parent / "skeleton.py"))["fill"]
    onnx.save(fill(onnx.load(path)), made)
    return made
