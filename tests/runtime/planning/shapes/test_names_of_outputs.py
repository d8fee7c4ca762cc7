"""Outputs that are others under one more name: nobody computes them, also where a device takes the whole model."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate import Core, FallbackError
from lite_delegate.ir import Graph, Node, Value, make_primitive
from tests.runtime.graphs import unary, value

X = np.array([[-1, 2, -3], [4, -5, 6]], np.float32)
RELU = np.maximum(X, 0)


def depend(name: str, *inputs: Value) -> Node:
    return Node(name, make_primitive("Depend"), list(inputs), [value(name)])


def twice() -> Graph:
    """x -> relu -> y; y again, and x again."""
    x = value("x")
    relu = unary("relu", x)
    y = relu.outputs[0]
    again, same = depend("again", y), depend("same", x)
    return Graph("main", [x], [y, again.outputs[0], same.outputs[0]], [relu, again, same])


@pytest.mark.parametrize("device", ["NPU", "HETERO:NPU,CPU", "AUTO:NPU", "MULTI:NPU", "CPU"])
def test_outputs_of_two_names(device: str) -> None:
    core = Core()
    compiled = core.compile_model(twice(), device)
    if device in ("NPU", "CPU", "HETERO:NPU,CPU"):
        imported = core.import_model(compiled.export_model(), device)
    else:
        imported = compiled
    for model in (compiled, imported):
        for found, expected in zip(model([X]), (RELU, RELU, X), strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-2)


def test_a_query_agrees() -> None:
    strict = Core().query_model(twice(), "NPU")
    assert dict(strict) == {"relu": "NPU", "again": "NPU"}
    assert not strict.rejections
    assert dict(Core().query_model(twice(), "HETERO:NPU,CPU")) == {"relu": "NPU", "again": "CPU", "same": "CPU"}


def test_one_between_others_is_computed() -> None:
    x = value("x")
    relu = unary("relu", x)
    between = depend("between", relu.outputs[0])
    last = unary("last", between.outputs[0])
    graph = Graph("main", [x], [last.outputs[0]], [relu, between, last])
    with pytest.raises(FallbackError, match="'between' \\(Depend\\)"):
        Core().compile_model(graph, "NPU")
    assert "between" in Core().query_model(graph, "NPU").rejections
