"""AlignConstantsPass, case by case as its docstring numbers them."""

from __future__ import annotations

import numpy as np

from lite_delegate import Model
from lite_delegate.ir import Graph, Value, constant
from lite_delegate.passes import AlignConstantsPass
from tests.passes.random_graphs import Builder


def misaligned(contents: list[float]) -> Value:
    raw = b"\0" + np.array(contents, np.float32).tobytes()
    return constant("c", np.frombuffer(raw, np.float32, offset=1))


def graph_of(c: Value) -> Graph:
    b = Builder()
    x = b.input("x", (2,))
    return b.graph(b.node("AddFusion", b.node("MulFusion", x, c), c))


def test_1_a_constant_that_several_nodes_read_is_copied_once() -> None:
    c = misaligned([3, 4])
    assert c.data is not None
    assert not c.data.flags.aligned
    result = AlignConstantsPass().call(graph_of(c))
    first, second = (node.inputs[1] for node in result.graph.nodes)
    assert result.modified
    assert first is second
    assert first is not None
    assert first.data is not None
    assert first.data.flags.aligned
    assert not first.data.flags.writeable
    np.testing.assert_array_equal(first.data, [3, 4])
    assert not c.data.flags.aligned


def test_2_constants_that_are_aligned_stay() -> None:
    graph = graph_of(constant("c", np.array([3, 4], np.float32)))
    result = AlignConstantsPass().call(graph)
    assert not result.modified
    assert result.graph is graph


def test_a_second_time_changes_nothing() -> None:
    once = AlignConstantsPass().call(graph_of(misaligned([3, 4]))).graph
    assert not AlignConstantsPass().call(once).modified


def test_a_model_is_planned_with_aligned_constants() -> None:
    model = Model()
    model.build_from_graph(graph_of(misaligned([3, 4])))
    assert all(v.data is None or v.data.flags.aligned for v in model.compiled.graph.values())
    (y,) = model.predict({"x": np.array([1, 2], np.float32)})
    np.testing.assert_array_equal(y.data, [1 * 3 + 3, 2 * 4 + 4])
