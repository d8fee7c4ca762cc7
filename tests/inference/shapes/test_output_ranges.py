"""What outputs may be where inputs have bounds: against the shapes that runs of every size have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite_delegate import Core, DataType, InputError
from lite_delegate.inference import CompiledModel
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive

F32 = DataType.FLOAT32


def graph_of(op_type: str, *operands: np.ndarray, inputs: int = 1, dims: tuple[int, ...] = (-1, 4), **a: Any) -> Graph:
    """The inputs, constants -> one node's first result."""
    values = [Value(f"x{n}", F32, dims) for n in range(inputs)]
    constants = [constant(f"c{n}", array) for n, array in enumerate(operands)]
    y = Value("y", F32, None)
    return Graph("main", list(values), [y], [Node("node", make_primitive(op_type, **a), [*values, *constants], [y])])


def ints(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int32)


def bounded(graph: Graph, least: int, most: int, device: str = "CPU") -> CompiledModel:
    dims = (graph.inputs[0].shape or ())[1:]
    return Core().compile_model(graph, device, shapes={v.name: [(least, most), *dims] for v in graph.inputs})


CASES: dict[str, tuple[Callable[[], Graph], str]] = {
    "as it is": (lambda: graph_of("Activation", activation_type="RELU"), "[2..9, 4]"),
    "two behind each other": (lambda: graph_of("Concat", inputs=2, axis=0), "[4..18, 4]"),
    "turned": (lambda: graph_of("Transpose", ints(1, 0)), "[4, 2..9]"),
    "three times": (lambda: graph_of("TileFusion", ints(3, 1)), "[6..27, 4]"),
    "but for the first": (lambda: graph_of("StridedSlice", ints(1), ints(99), ints(0), ints(1)), "[1..8, 4]"),
    "every second": (lambda: graph_of("StridedSlice", ints(0), ints(99), ints(0), ints(2)), "[1..5, 4]"),
    "at most three": (lambda: graph_of("StridedSlice", ints(0), ints(3), ints(0), ints(1)), "[2..3, 4]"),
    "flat": (lambda: graph_of("Reshape", ints(-1)), "[8..36]"),
    "with a border": (lambda: graph_of("PadFusion", ints(1, 2, 0, 0), padding_mode="CONSTANT"), "[5..12, 4]"),
    "summed": (lambda: graph_of("ReduceFusion", ints(0), mode="ReduceSum", keep_dims=True), "[1, 4]"),
}


@pytest.mark.parametrize("name", CASES)
def test_ranges_are_those_of_the_runs(name: str) -> None:
    make, expected = CASES[name]
    compiled = bounded(make(), 2, 9)
    assert compiled.output().shape_text == expected
    sizes = range(2, 10)
    runs = [compiled([np.ones((rows, 4), np.float32)] * len(compiled.inputs))[0].shape for rows in sizes]
    assert compiled.output().ranges == tuple((min(each), max(each)) for each in zip(*runs, strict=True))


def test_dimensions_that_follow_from_data_or_have_no_bound_are_open() -> None:
    x = Value("x", F32, (-1,))
    y = Value("y", DataType.INT64, None)
    places = Graph("main", [x], [y], [Node("node", make_primitive("NonZero"), [x], [y])])
    assert Core().compile_model(places, "CPU", shapes={"x": [(1, 9)]}).output().shape_text in ("[1, 0..]", "[0.., 0..]")
    relu = graph_of("Activation", activation_type="RELU", dims=(-1, -1))
    assert Core().compile_model(relu, "CPU").output().shape_text == "[0.., 0..]"


def test_what_goes_up_and_down_is_open() -> None:
    """x [n, 4] -> [2, n, 2] -> ...: a slice whose length is n for small ones, and shrinks from there on."""
    compiled = bounded(graph_of("StridedSlice", ints(-6), ints(5), ints(0), ints(1)), 2, 12)
    lengths = [compiled([np.ones((rows, 4), np.float32)])[0].shape[0] for rows in range(2, 13)]
    assert lengths[0] < max(lengths) > lengths[-1]
    assert compiled.output().shape_text == "[0.., 4]"


def test_two_dimensions_each_with_its_own_bounds() -> None:
    a, b = Value("a", F32, (-1, 3)), Value("b", F32, (3, -1))
    y = Value("y", F32, None)
    graph = Graph("main", [a, b], [y], [Node("product", make_primitive("MatMulFusion"), [a, b], [y])])
    compiled = Core().compile_model(graph, "NPU", shapes={"a": [(1, 5), 3], "b": [3, (2, 7)]})
    assert compiled.output().shape_text == "[1..5, 2..7]"
    request = compiled.create_infer_request()
    for rows, columns in ((1, 7), (5, 2), (4, 4)):
        found = request.infer([np.ones((rows, 3), np.float32), np.ones((3, columns), np.float32)])[0]
        assert found.shape == (rows, columns)
    with pytest.raises(InputError):
        request.infer([np.ones((6, 3), np.float32), np.ones((3, 2), np.float32)])
