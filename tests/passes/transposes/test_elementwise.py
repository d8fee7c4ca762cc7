"""Transposes around every elementwise operator, which its inverse behind it takes back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import Model
from lite_delegate.conformance.judging.case import ConformanceCase
from lite_delegate.conformance.suite import all_cases
from lite_delegate.ir import Graph, Node, Value, constant, from_numpy, make_primitive
from lite_delegate.ir.traits import ELEMENTWISE, of_pattern, traits_of
from lite_delegate.passes.transposes import PlaceTransposesPass
from tests.passes.random_graphs import count

OPERATORS = sorted(name for name in of_pattern(*ELEMENTWISE) if "." not in name)


def is_of_one_shape(case: ConformanceCase) -> bool:
    """Whether the first input has at least two axes, and the others are of its shape or single numbers."""
    first = case.inputs[0]
    return (
        first is not None
        and first.ndim > 1
        and first.size > 1
        and all(x is not None and (x.shape == first.shape or x.size == 1) for x in case.inputs)
        and (case.quantization is None or case.op_type == "QuantDTypeCast")
        and 0 not in case.constants
        and len(case.outputs) == 1
        and traits_of(case.op_type).is_elementwise(len(case.inputs))
    )


def graph_of(case: ConformanceCase, x: Array) -> Graph:
    """The node of a case between two transposes that turn the axes around; single numbers are constants."""
    turned = constant("axes", np.arange(x.ndim, dtype=np.int32)[::-1].copy())
    inputs: list[Value] = []
    operands: list[Value | None] = []
    nodes: list[Node] = []
    for i, array in enumerate(case.inputs):
        assert array is not None
        if array.size == 1:
            operands.append(constant(f"number{i}", array))
            continue
        inputs.append(Value(f"x{i}", from_numpy(array.dtype), array.shape))
        moved = Value(f"x{i}/turned", inputs[-1].dtype, array.shape[::-1])
        nodes.append(Node(f"turn{i}", make_primitive("Transpose"), [inputs[-1], turned], [moved]))
        operands.append(moved)
    y = case.outputs[0]
    made, result = (Value(name, from_numpy(y.dtype), shape) for name, shape in (("y", y.shape[::-1]), ("z", y.shape)))
    nodes.append(Node("node", make_primitive(case.op_type, **case.attributes), operands, [made]))
    nodes.append(Node("back", make_primitive("Transpose"), [made, turned], [result]))
    return Graph("main", inputs, [result], nodes)


def predicted(graph: Graph, data: dict[str, Any]) -> Any:
    model = Model()
    model.build_from_graph(graph)
    return model.predict(data)[0].data


@pytest.mark.parametrize("op_type", OPERATORS)
def test_transposes_around_an_elementwise_operator_go_away(op_type: str) -> None:
    case = next(filter(is_of_one_shape, all_cases([op_type])))
    first = case.inputs[0]
    assert first is not None
    graph = graph_of(case, first)
    made = PlaceTransposesPass().call(graph).graph
    assert (count(graph, "Transpose"), count(made, "Transpose")) == (1 + len(graph.inputs), 0)
    if case.quantization is None:
        data = {f"x{i}": x for i, x in enumerate(case.inputs) if x is not None and x.size != 1}
        np.testing.assert_array_equal(predicted(made, data), predicted(graph, data))
