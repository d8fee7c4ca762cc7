"""If, Loop and Scan, against ONNX Runtime."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import onnx
import pytest

from lite_delegate.errors import ModelFormatError
from lite_delegate.formats.onnx import read_onnx_buffer
from lite_delegate.ir import Graph
from tests.formats.customs import assert_custom, reasons
from tests.formats.onnx.comparing import Array, check, imported, parsed, run

X = np.arange(6, dtype=np.float32).reshape(2, 3) - 2
TRUE, FALSE = np.array(True), np.array(False)


def operators(graph: Graph) -> set[str]:
    return {node.op_type for each in graph.all_graphs() for node in each.nodes}


# If.

BRANCHES = """g (bool c, float[2,3] x) => (float[M,N] y, float[2,3] z) {
  t = Relu(x)
  y, z = If (c) <
    then_branch = th () => (float[M,N] a, float[2,3] b) {
      two = Constant<value = float {2.0}>()
      a = Mul(t, two)
      b = Identity(x)
    },
    else_branch = el () => (float[M,N] d, float[2,3] e) { d = Transpose(x) e = Neg(t) }>
}"""


@pytest.mark.parametrize("c", [TRUE, FALSE])
def test_branches_that_read_from_outside(c: Array, tmp_path: Path) -> None:
    check(parsed(BRANCHES), {"c": c, "x": X}, folder=tmp_path)


def test_a_branch_that_gives_constants_and_one_value_twice(tmp_path: Path) -> None:
    model = parsed(
        """g (bool[1] c, float[2] x) => (float[2] y, float[2] z, float[2] k) {
          y, z, k = If (c) <
            then_branch = th () => (float[2] a, float[2] b, float[2] one) {
              a = Abs(x) b = Identity(a) one = Constant<value = float[2] {1.0, 2.0}>() },
            else_branch = el () => (float[2] d, float[2] e, float[2] f) { d = Neg(x) e = Identity(x) f = Identity(x) }>
        }"""
    )
    for c in (TRUE, FALSE):
        check(model, {"c": c.reshape(1), "x": X[0, :2]}, folder=tmp_path)


def test_branches_in_branches(tmp_path: Path) -> None:
    model = parsed(
        """g (bool a, bool b, float[3] x) => (float[3] y) {
          y = If (a) <
            then_branch = th () => (float[3] p) {
              p = If (b) <
                then_branch = th2 () => (float[3] q) { q = Add(x, x) },
                else_branch = el2 () => (float[3] r) { r = Mul(x, x) }> },
            else_branch = el () => (float[3] s) { s = Neg(x) }>
        }"""
    )
    for a in (TRUE, FALSE):
        for b in (TRUE, FALSE):
            check(model, {"a": a, "b": b, "x": X[0]}, folder=tmp_path)


def test_a_condition_that_follows_from_shapes_leaves_one_branch() -> None:
    model = parsed(
        """g (float[1,3] x) => (float[M] y) {
          s = Shape<start=0, end=1>(x)
          one = Constant<value = int64[1] {1}>()
          c = Equal(s, one)
          y = If (c) <
            then_branch = th () => (float[M] a) { a = Squeeze(x, axes) },
            else_branch = el () => (float[1,3] b) { b = Identity(x) }>
        }""",
        initializers={"axes": np.array([0])},
    )
    graph = check(model, {"x": X[:1]})
    assert not graph.subgraphs
    assert "Switch" not in operators(graph)


def test_nodes_inside_become_custom_where_they_are() -> None:
    model = parsed(
        """g (bool c, float[3] x) => (float[3] y) {
          y = If (c) <
            then_branch = th () => (float[3] a) { a = Mystery(x) },
            else_branch = el () => (float[3] b) { b = RandomNormalLike(x) }>
        }"""
    )
    found = reasons(imported(model))
    assert [line.partition(" ")[0] for line in found] == ["ai.onnx.Mystery", "ai.onnx.RandomNormalLike"]


def test_nodes_with_attributes_that_ours_lack_become_custom_inside() -> None:
    model = parsed(
        """g (bool c, float[3,2,2,2,2] x) => (float[M,N,O] y) {
          y = If (c) <
            then_branch = th () => (float[M,N,O] a) { a = CumSum<reverse=2>(x, n) },
            else_branch = el () => (float[3,2,2,2,2] b) { b = Softmax<axis=7>(x) }>
        }""",
        initializers={"n": np.array(9)},
    )
    found = reasons(imported(model))
    assert [line.partition(" ")[0] for line in found] == ["ai.onnx.CumSum", "ai.onnx.Softmax"]


def test_branches_of_different_types_are_rejected() -> None:
    model = parsed(
        """g (bool c, float[3] x) => (float[3] y) {
          y = If (c) <
            then_branch = th () => (float[3] a) { a = Neg(x) },
            else_branch = el () => (int64[3] b) { b = Cast<to=7>(x) }>
        }"""
    )
    assert_custom(imported(model), "one value is float32 here and int64 there")


# Loop.

LOOP = """g (int64 n, bool start, float[3] x, float[3] w) => (float[3] y, float[K,3] s) {
  y, s = Loop (n, start, x) <body = b (int64 i, bool c, float[3] v) => (bool go, float[3] next, float[3] out) {
    f = CastLike(i, v)
    grown = Add(v, w)
    next = Mul(grown, f)
    total = ReduceSum<keepdims=0>(next)
    limit = Constant<value = float {100.0}>()
    go = Less(total, limit)
    out = Sub(next, w)
  }>
}"""


@pytest.mark.parametrize("n", [0, 1, 2, 5, 9])
@pytest.mark.parametrize("start", [TRUE, FALSE])
def test_trips_conditions_carried_values_and_results_of_rounds(n: int, start: Array, tmp_path: Path) -> None:
    """The condition ends the loop after five rounds."""
    inputs = {"n": np.array(n), "start": start, "x": np.ones(3, np.float32), "w": np.arange(3, dtype=np.float32)}
    check(parsed(LOOP), inputs, folder=tmp_path)


def test_a_loop_without_a_number_of_trips(tmp_path: Path) -> None:
    model = parsed(
        """g (bool start, float x) => (float y, float[K] s) {
          y, s = Loop (, start, x) <body = b (int64 i, bool c, float v) => (bool go, float next, float out) {
            next = Add(v, v)
            limit = Constant<value = float {50.0}>()
            go = Less(next, limit)
            out = Identity(v)
          }>
        }"""
    )
    for start in (TRUE, FALSE):
        check(model, {"start": start, "x": np.array(1, np.float32)}, folder=tmp_path)


def test_a_known_number_of_trips_gives_known_shapes() -> None:
    model = parsed(
        """g (float[3] x) => (float[3] y, float[4,3] s) {
          n = Constant<value = int64 {4}>()
          y, s = Loop (n, , x) <body = b (int64 i, bool c, float[3] v) => (bool go, float[3] next, float[3] out) {
            go = Constant<value = bool {1}>()
            next = Add(v, v)
            out = Identity(next)
          }>
        }"""
    )
    graph = check(model, {"x": X[0]})
    assert [v.shape for v in graph.outputs] == [(3,), (4, 3)]


def test_only_the_first_condition_may_be_false(tmp_path: Path) -> None:
    model = parsed(
        """g (int64 n, bool start, float[2] x) => (float[2] y, float[K,2] s) {
          y, s = Loop (n, start, x) <body = b (int64 i, bool c, float[2] v) => (bool go, float[2] w, float[2] out) {
            go = Constant<value = bool {1}>()
            w = Add(v, v)
            out = Identity(w)
          }>
        }"""
    )
    for start in (TRUE, FALSE):
        check(model, {"n": np.array(3), "start": start, "x": X[0, :2]}, folder=tmp_path)


def test_what_was_made_for_shapes_that_turned_out_wrong_is_forgotten() -> None:
    """The body is converted twice: for a value of one element, and for one of any number."""
    model = parsed(
        """g (int64 n, float[1] x, bool c) => (float[K] y) {
          y = Loop (n, , x) <body = b (int64 i, bool d, float[L] v) => (bool go, float[M] next) {
            go = Identity(d)
            w = If (c) <
              then_branch = th () => (float[N] p) { p = Neg(v) },
              else_branch = el () => (float[O] q) { q = Abs(v) }>
            next = Concat<axis=0>(v, w)
          }>
        }"""
    )
    for c in (TRUE, FALSE):
        graph = check(model, {"n": np.array(3), "x": X[0, :1], "c": c})
    assert [each.name.rsplit("/", 1)[-1] for each in graph.subgraphs] == ["then", "else", "condition", "y", "end"]


def test_a_value_that_grows(tmp_path: Path) -> None:
    model = parsed(
        """g (int64 n, float[1] x) => (float[K] y) {
          t = Constant<value = bool {1}>()
          y = Loop (n, t, x) <body = b (int64 i, bool c, float[L] v) => (bool go, float[M] next) {
            go = Identity(c)
            next = Concat<axis=0>(v, v)
          }>
        }"""
    )
    for n in (0, 1, 3):
        graph = check(model, {"n": np.array(n), "x": X[0, :1]}, folder=tmp_path)
    assert graph.outputs[0].shape == (-1,)


def test_a_loop_in_a_loop_and_a_choice_in_it(tmp_path: Path) -> None:
    model = parsed(
        """g (int64 n, float[2] x) => (float[2] y, float[K,2] s) {
          t = Constant<value = bool {1}>()
          y, s = Loop (n, t, x) <body = b (int64 i, bool c, float[2] v) => (bool go, float[2] next, float[2] out) {
            go = Identity(c)
            out = Loop (i, c, v) <body = b2 (int64 j, bool d, float[2] w) => (bool go2, float[2] w2) {
              go2 = Identity(d)
              two = Constant<value = int64 {2}>()
              zero = Constant<value = int64 {0}>()
              rest = Mod(j, two)
              even = Equal(rest, zero)
              w2 = If (even) <
                then_branch = th () => (float[2] p) { p = Add(w, x) },
                else_branch = el () => (float[2] q) { q = Sub(w, v) }>
            }>
            next = Add(out, x)
          }>
        }"""
    )
    for n in (0, 1, 4):
        check(model, {"n": np.array(n), "x": np.array([1, 2], np.float32)}, folder=tmp_path)


def test_a_loop_that_never_ends_is_rejected() -> None:
    model = parsed(
        """g (float[2] x) => (float[2] y) {
          y = Loop (, , x) <body = b (int64 i, bool c, float[2] v) => (bool go, float[2] next) {
            go = Constant<value = bool {1}>()
            next = Neg(v)
          }>
        }"""
    )
    assert_custom(imported(model), "a loop that never ends")


def test_a_carried_value_that_changes_its_type_is_rejected() -> None:
    model = parsed(
        """g (int64 n, float[2] x) => (float[2] y) {
          y = Loop (n, , x) <body = b (int64 i, bool c, float[2] v) => (bool go, int64[2] next) {
            go = Identity(c)
            next = Cast<to=7>(v)
          }>
        }"""
    )
    assert_custom(imported(model), "one value is float32 here and int64 there")


def test_a_body_with_too_few_inputs_is_damage() -> None:
    model = parsed(LOOP)
    body = next(a for node in model.graph.node for a in node.attribute if a.name == "body").g
    del body.input[2]
    with pytest.raises(ModelFormatError, match=r"2 inputs, expected 3|reads 'v'"):
        imported(model)


def test_loops_in_loops_whose_shapes_change_end_soon() -> None:
    """Each level is converted again for each level outside it: there is a limit to that."""
    inner = "n20 = Concat<axis=0>(v20, one)"
    for d in range(20, 0, -1):
        body = f"(int64 i{d}, bool c{d}, float[A{d}] v{d}) => (bool g{d}, float[B{d}] n{d})"
        loop = f"m{d} = Loop (n, t, one) <body = b{d} {body} {{ g{d} = Identity(c{d}) {inner} }}>"
        inner = f"{loop} n{d - 1} = Concat<axis=0>(v{d - 1}, m{d})"
    text = f"g (int64 n, bool t, float[1] v0) => (float[K] n0) {{ {inner} }}"
    model = parsed(text, initializers={"one": np.ones(1, np.float32)})
    start = time.perf_counter()
    assert_custom(imported(model), "more than 1000 attempts to tell shapes in loops")
    assert time.perf_counter() - start < 30


# Scan.

SCAN = """g (float[2] first, float[{shape}] xs, float[{shape}] ys)
  => (float[2] last, float[K,2] outs, float[2,K] turned) {{
  last, outs, turned = Scan <num_scan_inputs=2, scan_input_axes=[{axis},{axis}], scan_input_directions=[0,{back}],
    scan_output_axes=[0,1], scan_output_directions=[{back},0],
    body = b (float[2] v, float[2] x, float[2] y) => (float[2] next, float[2] out, float[2] other) {{
      sum = Add(x, y)
      next = Add(v, sum)
      out = Mul(next, x)
      other = Sub(next, y)
    }}> (first, xs, ys)
}}"""


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("back", [0, 1])
def test_scan(axis: int, back: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    shape = (5, 2) if axis == 0 else (2, 5)
    inputs = {"first": X[0, :2], **{n: rng.normal(size=shape).astype(np.float32) for n in ("xs", "ys")}}
    model = parsed(SCAN.format(axis=axis, back=back, shape=",".join(map(str, shape))))
    graph = check(model, inputs, folder=tmp_path)
    assert [v.shape for v in graph.outputs] == [(2,), (5, 2), (2, 5)]


def test_scan_over_a_dimension_of_any_size() -> None:
    model = parsed(SCAN.format(axis=0, back=1, shape="T,2"))
    graph = imported(model)
    for steps in (1, 4):
        xs = np.arange(2 * steps, dtype=np.float32).reshape(steps, 2)
        check(model, {"first": X[0, :2], "xs": xs, "ys": xs + 1})
    assert graph.outputs[1].shape == (-1, 2)


def test_scan_with_a_batch_is_rejected() -> None:
    model = parsed(SCAN.format(axis=0, back=0, shape="5,2"), 8)
    assert_custom(imported(model), "Scan with a batch, before opset 9, found opset 8")


def test_many_rounds_run() -> None:
    graph = imported(parsed(LOOP.replace("100.0", "1e30")))
    inputs = {"n": np.array(2000), "start": TRUE, "x": np.zeros(3, np.float32), "w": np.zeros(3, np.float32)}
    y, s = run(graph, inputs)
    assert s.shape == (2000, 3)
    np.testing.assert_array_equal(y, np.zeros(3))


def test_what_functions_of_the_model_hold() -> None:
    text = """<ir_version: 10, opset_import: ["" : 21, "own" : 1]>
    g (bool c, float[3] x) => (float[3] y) { y = own.choose(c, x) }
    <domain: "own", opset_import: ["" : 21]>
    choose (c, x) => (y) {
      y = If (c) <
        then_branch = th () => (float[3] a) { a = Exp(x) },
        else_branch = el () => (float[3] b) { b = Neg(x) }>
    }"""
    model = onnx.parser.parse_model(text)
    for c in (TRUE, FALSE):
        check(model, {"c": c, "x": X[0]})


def test_names_that_are_no_text_are_damage() -> None:
    """In a body: every name of the model is looked at."""
    data = parsed(LOOP.replace("grown", "groxn")).SerializeToString()
    with pytest.raises(ModelFormatError, match=r"names must be UTF-8, found b'gro\\xffn'"):
        read_onnx_buffer(data.replace(b"groxn", b"gro\xffn"))
