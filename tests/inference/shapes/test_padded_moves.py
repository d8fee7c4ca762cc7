"""Runs padded through operators that move elements, look back, or go step by step: against runs that are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lite_delegate_kernels import Array

from lite_delegate import Core, DataType, DelegateExecuteError
from lite_delegate.inference.shapes.corners import corner
from lite_delegate.inference.shapes.padding import why_not_padded
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.runtime.planning.shapes.inferring import InferredModel
from lite_delegate.runtime.settings import Settings

COLUMNS = 4
SETTINGS = Settings(reference_kernels=True)


def one_node(
    op_type: str, *operands: Array, outputs: int = 1, dims: tuple[int, ...] = (-1, COLUMNS), **a: Any
) -> Graph:
    """x -> the node's results."""
    x = Value("x", DataType.FLOAT32, dims)
    results = [Value(f"y{n}", DataType.FLOAT32, None) for n in range(outputs)]
    constants = [constant(f"c{n}", array) for n, array in enumerate(operands)]
    return Graph("main", [x], results, [Node("node", make_primitive(op_type, **a), [x, *constants], results)])


def ints(*numbers: int) -> Array:
    return np.array(numbers, np.int32)


def reason(graph: Graph, rows: int, more: int) -> str:
    """Why a run with so many rows cannot be padded to more; "" where it can."""
    x = graph.inputs[0]
    models = [InferredModel(graph, {x: (size, *(x.shape or ())[1:])}, SETTINGS) for size in (rows, more)]
    return why_not_padded(*models)


def strided(begin: int, end: int, step: int) -> Graph:
    return one_node("StridedSlice", ints(begin), ints(end), ints(0), ints(step))


FROM_THE_FRONT = {
    "the first row": strided(0, 1, 1),
    "every second of three": strided(0, 3, 2),
    "all from the second row on": one_node("SliceFusion", ints(1, 0), ints(-1, 2), axes=(0, 1)),
    "zeros after each row": one_node("PadFusion", ints(0, 0, 0, 2), padding_mode="CONSTANT"),
    "zeros before the first row": one_node("PadFusion", ints(1, 0, 0, 0), padding_mode="CONSTANT"),
    "columns again": one_node("TileFusion", ints(1, 3)),
    "rows by number": one_node("Gather", ints(2, 0, 0), ints(0)),
    "the running sum": one_node("CumSum", ints(0)),
    "the largest of each row": one_node("TopKFusion", ints(2), outputs=2, axis=-1),
    "columns turned round": one_node("ReverseV2", axis=(1,)),
}
FROM_THE_END = {
    "the last row": strided(-1, 2**31 - 1, 1),
    "backwards": strided(-1, -100, -1),
    "zeros after the last row": one_node("PadFusion", ints(0, 1, 0, 0), padding_mode="CONSTANT"),
    "rows again": one_node("TileFusion", ints(2, 1)),
    "the last row by number": one_node("Gather", ints(-1), ints(0)),
    "the sum to the end": one_node("CumSum", ints(0), reverse=True),
    "the largest of each column": one_node("TopKFusion", ints(2), outputs=2, axis=0),
    "rows turned round": one_node("ReverseV2", axis=(0,)),
}


@pytest.mark.filterwarnings("ignore::lite_delegate.DelegateWarning")
@pytest.mark.parametrize("name", FROM_THE_FRONT)
def test_what_counts_from_the_front_is_padded(name: str) -> None:
    graph = FROM_THE_FRONT[name]
    assert reason(graph, 3, 4) == ""
    compiled = Core().compile_model(graph, "HETERO:NPU,CPU", shapes={"x": [(1, 16), COLUMNS]})
    request = compiled.create_infer_request()
    for rows in (3, 5, 11, 16):
        x = np.random.default_rng(rows).normal(size=(rows, COLUMNS)).astype(np.float32)
        found = request.infer([x])
        alone = Core().compile_model(graph, "CPU", shapes={"x": [rows, COLUMNS]})([x])
        use = request.profile.plan
        assert use is not None
        assert bool(use.padded) == (rows != 16)
        for one, other in zip(found, alone, strict=True):
            np.testing.assert_allclose(one, other, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("name", FROM_THE_END)
def test_what_counts_from_the_end_is_not(name: str) -> None:
    assert reason(FROM_THE_END[name], 3, 4) != ""


@settings(max_examples=60, deadline=None)
@given(
    begin=st.integers(-7, 7),
    end=st.integers(-7, 9),
    step=st.sampled_from([-3, -2, -1, 1, 2, 3]),
    rows=st.integers(1, 6),
    more=st.integers(0, 4),
)
def test_slices_are_padded_only_where_the_front_of_the_longer_one_is_the_shorter(
    begin: int, end: int, step: int, rows: int, more: int
) -> None:
    if step < 0 and begin < -rows:
        return  # numpy begins before the first row, ONNX at it
    graph = strided(begin, end, step)
    x = np.arange(float((rows + more) * COLUMNS)).reshape(-1, COLUMNS)
    alone, longer = x[:rows][begin:end:step], x[begin:end:step]
    fits = len(alone) <= len(longer) and np.array_equal(alone, longer[: len(alone)])
    assert (reason(graph, rows, rows + more) == "") == fits


@settings(max_examples=40, deadline=None)
@given(rows=st.integers(1, 5), more=st.integers(1, 4), pads=st.tuples(*[st.integers(0, 3)] * 4), mode=st.booleans())
def test_borders_are_padded_only_where_the_front_stays(
    rows: int, more: int, pads: tuple[int, int, int, int], mode: bool
) -> None:
    if mode and (max(pads[:2]) >= rows or max(pads[2:]) >= COLUMNS):
        return  # what is mirrored must be there
    graph = one_node("PadFusion", ints(*pads), padding_mode="REFLECT" if mode else "CONSTANT")
    x = np.arange(1.0, (rows + more) * COLUMNS + 1).reshape(-1, COLUMNS)
    borders = (pads[:2], pads[2:])
    alone, longer = (np.pad(y, borders, "reflect") if mode else np.pad(y, borders) for y in (x[:rows], x))
    assert (reason(graph, rows, rows + more) == "") == np.array_equal(alone, longer[corner(alone.shape)])


@pytest.mark.parametrize(("axis", "is_padded"), [(0, False), (1, True)])
def test_recurrent_operators_are_padded_along_their_items_and_not_along_their_steps(axis: int, is_padded: bool) -> None:
    rng, steps, items, hidden = np.random.default_rng(1), 3, 3, 2
    shapes = [(1, 3 * hidden, 4), (1, 3 * hidden, hidden), (1, 6 * hidden)]
    weights = [constant(f"w{n}", rng.normal(size=shape).astype(np.float32)) for n, shape in enumerate(shapes)]
    x, h = Value("x", DataType.FLOAT32, (steps, items, 4)), Value("h", DataType.FLOAT32, (1, items, hidden))
    y, last = (Value(name, DataType.FLOAT32, None) for name in ("y", "last"))
    graph = Graph("main", [x, h], [y, last], [Node("gru", make_primitive("GRU"), [x, *weights, h], [y, last])])
    large = {x: (steps + (axis == 0), items + (axis == 1), 4), h: (1, items + (axis == 1), hidden)}
    models = [InferredModel(graph, shapes, SETTINGS) for shapes in ({}, large)]
    assert (why_not_padded(*models) == "") == is_padded


@pytest.mark.filterwarnings("ignore::lite_delegate.DelegateWarning")
def test_a_run_that_cannot_be_padded_runs_in_its_own_shape() -> None:
    """x [rows] of ones -> running sums -> rows of a table of six, which eight rows of x are too many for."""
    table = np.random.default_rng(2).normal(size=(6, COLUMNS)).astype(np.float32)
    x, sums = Value("x", DataType.INT32, (-1,)), Value("sums", DataType.INT32, (-1,))
    y = Value("y", DataType.FLOAT32, (-1, COLUMNS))
    nodes = [
        Node("sums", make_primitive("CumSum", exclusive=True), [x, constant("axis", ints(0))], [sums]),
        Node("rows", make_primitive("Gather"), [constant("table", table), sums, constant("of", ints(0))], [y]),
    ]
    compiled = Core().compile_model(Graph("main", [x], [y], nodes), "HETERO:NPU,CPU", shapes={"x": [(1, 16)]})
    request = compiled.create_infer_request()
    for rows, is_padded in ((3, True), (5, False), (3, True)):
        np.testing.assert_allclose(request.infer([np.ones(rows, np.int32)])[0], table[:rows], rtol=1e-3, atol=1e-3)
        use = request.profile.plan
        assert use is not None
        assert bool(use.padded) == is_padded
        assert use.reason.startswith("" if is_padded else "the padded run failed: ")
    with pytest.raises(DelegateExecuteError, match="index 6 is out of range"):
        request.infer([np.ones(7, np.int32)])
