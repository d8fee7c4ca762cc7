"""Runs that are padded to a size that is planned for: which may be, and what they give."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import Core, DataType, LiteDelegateError
from lite_delegate.conformance.judging.case import ConformanceCase
from lite_delegate.conformance.judging.case_graph import case_graph, variable_inputs
from lite_delegate.conformance.suite import all_cases
from lite_delegate.inference.compiling.compilation import compile_for_shapes
from lite_delegate.inference.shapes.corners import RULES, Pair, corner, keeps_corners
from lite_delegate.inference.shapes.element_moves import MOVES
from lite_delegate.inference.shapes.padding import why_not_padded
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.runtime.planning.shapes.inferring import InferredModel
from lite_delegate.runtime.settings import Settings

MORE = 2
SETTINGS = Settings(reference_kernels=True)
MOST_CASES = 10


def attention(axis: int) -> Graph:
    """x [rows, 4] -> softmax(x @ w, axis) -> normalized -> [rows, 2, 2]."""
    rng = np.random.default_rng(3)
    values = [Value(name, DataType.FLOAT32, (-1, 4)) for name in ("x", "product", "shares", "norm")]
    x, product, shares, norm = values
    y = Value("y", DataType.FLOAT32, (-1, 2, 2))
    weight = constant("w", rng.normal(size=(4, 4)).astype(np.float32))
    scale, shift = constant("scale", np.ones(4, np.float32)), constant("shift", np.zeros(4, np.float32))
    shape = constant("shape", np.array([-1, 2, 2], np.int32))
    nodes = [
        Node("product", make_primitive("MatMulFusion"), [x, weight], [product]),
        Node("softmax", make_primitive("Softmax", axis=(axis,)), [product], [shares]),
        Node(
            "norm",
            make_primitive("LayerNormFusion", begin_norm_axis=1, begin_params_axis=1),
            [shares, scale, shift],
            [norm],
        ),
        Node("reshape", make_primitive("Reshape"), [norm, shape], [y]),
    ]
    return Graph("main", [x], [y], nodes)


def items(rows: int) -> Array:
    return np.random.default_rng(rows).normal(size=(rows, 4)).astype(np.float32)


@pytest.mark.parametrize("device", ["NPU", "HETERO:NPU,CPU"])
def test_padded_runs_give_what_the_model_gives_for_each_length(device: str) -> None:
    core, graph = Core(), attention(axis=1)
    compiled = core.compile_model(graph, device, shapes={"x": [(1, 12), 4]})
    request = compiled.create_infer_request()
    planned = set()
    for rows in range(1, 13):
        found = request.infer([items(rows)])[0]
        alone = core.compile_model(graph, device, shapes={"x": [rows, 4]})
        assert found.shape == (rows, 2, 2)
        np.testing.assert_allclose(found, alone([items(rows)])[0], rtol=2e-3, atol=2e-3)
        use = request.profile.plan
        assert use is not None
        assert use.padded == (() if rows in (1, 2, 4, 8, 12) else ((rows, 4),))
        planned.add(use.shapes[0][0])
    assert planned == {1, 2, 4, 8, 12}
    assert "Bounded dimensions: runs are padded to the next power of two, or the bound" in compiled.partition.notes


def test_a_model_that_cannot_be_padded_is_planned_for_each_shape_and_the_report_says_why() -> None:
    core, graph = Core(), attention(axis=0)
    compiled = core.compile_model(graph, "HETERO:NPU,CPU", shapes={"x": [(1, 12), 4]})
    on_cpu = core.compile_model(graph, "CPU", shapes={"x": [(1, 12), 4]})
    request = compiled.create_infer_request()
    for rows in (1, 3, 12, 5, 3):
        np.testing.assert_allclose(request.infer([items(rows)])[0], on_cpu([items(rows)])[0], rtol=1e-2, atol=1e-2)
        use = request.profile.plan
        assert use is not None
        assert use.shapes == ((rows, 4),)
    assert use is not None
    assert use.padded == ()
    assert use.reason == "node 'softmax' (Softmax) cannot be padded"
    assert str(use) == "plan for [3, 4] (not padded: node 'softmax' (Softmax) cannot be padded): reused"
    assert (
        "Bounded dimensions: each run is planned for its own shapes, because node 'softmax' (Softmax) cannot be padded"
        in compiled.partition.notes
    )


def test_a_hundred_lengths_take_a_plan_for_each_size() -> None:
    compiled = Core().compile_model(attention(axis=1), "NPU", shapes={"x": [(1, 100), 4]})
    request = compiled.create_infer_request()
    made = 0
    for rows in range(1, 101):
        request.infer([items(rows)])
        use = request.profile.plan
        assert use is not None
        made += use.made_ns is not None
    assert made == 7  # 1, 2, 4, ..., 64; that for the bound was made when the model was compiled


@cache
def cases_by_operator() -> dict[str, list[ConformanceCase]]:
    """All cases: to ask for those of one operator makes them all."""
    found: dict[str, list[ConformanceCase]] = {}
    for case in all_cases():
        found.setdefault(case.op_type, []).append(case)
    return found


def grown(case: ConformanceCase, axis: int) -> Iterator[dict[str, Array]]:
    """The inputs of a case with a longer dimension: of the first one, and of all that have the same size there."""
    given = variable_inputs(case)
    first = next(iter(given), "")
    for names in ({first}, set(given)):
        size = given[first].shape[axis]
        yield {
            name: np.pad(x, [(0, MORE * (number == axis)) for number in range(x.ndim)], mode="wrap")
            if name in names and x.ndim > axis and x.shape[axis] == size
            else x
            for name, x in given.items()
        }


def is_kept(graph: Graph, given: dict[str, Array], larger: dict[str, Array]) -> bool:
    """Whether a node keeps corners by the rules; that it really does is asserted then, by the reference kernels."""
    small, large = ([each[v.name].shape for v in graph.inputs] for each in (given, larger))
    try:
        models = [InferredModel(graph, dict(zip(graph.inputs, s, strict=True)), SETTINGS) for s in (small, large)]
        if why_not_padded(*models):
            return False
        results = [
            compile_for_shapes(graph, shapes, SETTINGS, [])([data[v.name] for v in graph.inputs])
            for shapes, data in ((small, given), (large, larger))
        ]
    except LiteDelegateError:  # the operator does not take the larger ones
        return False
    for alone, padded in zip(*results, strict=True):
        np.testing.assert_allclose(padded[corner(alone.shape)], alone, rtol=1e-4, atol=1e-5)
    return True


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("op_type", sorted({*RULES, *MOVES}))
def test_an_operator_keeps_corners_where_its_rule_says_so(op_type: str) -> None:
    kept = 0
    cases = cases_by_operator()[op_type]
    for case in cases[:: -(-len(cases) // MOST_CASES)]:
        given = variable_inputs(case)
        if not given or any(not x.size for x in given.values()):
            continue
        for axis in range(next(iter(given.values())).ndim):
            kept += sum(is_kept(case_graph(case), given, larger) for larger in grown(case, axis))
    assert kept


def test_a_condition_in_another_shape_keeps_no_corners() -> None:
    """(2, 3) is the corner of (2, 5), and 6 conditions of 10; but the fourth of them is for another place then."""
    places = np.arange(10)
    assert not np.array_equal(places[:6].reshape(2, 3), places.reshape(2, 5)[:2, :3])
    condition, side = Pair((6,), (10,)), Pair((2, 3), (2, 5))
    select = make_primitive("Select")
    assert not keeps_corners(select, [condition, side, side], [side])
    assert keeps_corners(select, [side, side, side], [side])
    assert keeps_corners(select, [Pair((1,), (1,)), side, side], [side])
