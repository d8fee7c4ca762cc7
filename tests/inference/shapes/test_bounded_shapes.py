"""Dimensions with bounds: which models a device takes so, and what it says of the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite_delegate import Core, DataType, DynamicShapeCode, DynamicShapeError, InputError, make_stateful
from lite_delegate.inference.shapes.given_shapes import InputShapes
from lite_delegate.ir import Graph, Node, OpenShape, Value, make_primitive
from tests.runtime.control_graphs import add, if_else, multiply
from tests.runtime.graphs import chain

BOUNDED: InputShapes = {"x": [(1, 8), 3]}


def open_chain() -> Graph:
    """x [rows, 3] -> x + 1 + 2."""
    graph = chain(2, (-1, 3))
    graph.inputs[0].open_shape = OpenShape(("rows", ""))
    return graph


def rankless() -> Graph:
    x, y = Value("x", DataType.FLOAT32, None), Value("y", DataType.FLOAT32, None)
    return Graph("main", [x], [y], [Node("abs", make_primitive("Abs"), [x], [y])])


def stateful() -> Graph:
    """x [open, 3] -> x + s; s -> s + s."""
    x, s = Value("x", DataType.FLOAT32, (-1, 3)), Value("s", DataType.FLOAT32, (1, 3))
    y, after = Value("y", DataType.FLOAT32, (-1, 3)), Value("after", DataType.FLOAT32, (1, 3))
    nodes = [
        Node("add", make_primitive("AddFusion"), [x, s], [y]),
        Node("twice", make_primitive("AddFusion"), [s, s], [after]),
    ]
    return make_stateful(Graph("main", [x, s], [y, after], nodes), {"s": "after"})


def branching() -> Graph:
    """p, x [open] -> x + 1 if p else x * 2."""
    return if_else(lambda x: add("then", x, 1), lambda x: multiply("other", x, 2), (-1,))


@pytest.mark.parametrize(
    ("make", "shapes", "code", "text"),
    [
        (open_chain, {}, "UNBOUNDED", r"Input 0 'x', dimension 0 'rows' is open.*shapes=\{'x': \[\(1, 128\), 3\]\}"),
        (
            rankless,
            {},
            "RANK_UNKNOWN",
            r"Input 0 'x': the number of its dimensions is not.*shapes=\{'x': \[\.\.\.\]\}",
        ),
        (stateful, BOUNDED, "STATE_AND_BATCH", r"Input 0 'x', dimension 0 has bounds, .* state '.*give a number"),
        (branching, {"x": [(1, 8)]}, "CONTROL_FLOW", r"'x', dimension 0 has bounds, but node '.*' \(.*give a number"),
    ],
)
def test_a_rejected_dimension_has_a_code_and_names_its_input(
    make: Callable[[], Graph], shapes: Any, code: str, text: str
) -> None:
    with pytest.raises(DynamicShapeError, match=text) as caught:
        Core().compile_model(make(), "NPU", shapes=shapes)
    assert caught.value.code is DynamicShapeCode(code)
    assert str(caught.value).startswith("Device 'NPU': ")
    assert code in str(caught.value)
    Core().compile_model(make(), "HETERO:NPU,CPU", shapes=shapes).close()  # the CPU takes any


def test_with_bounds_it_compiles_and_they_are_checked() -> None:
    compiled = Core().compile_model(open_chain(), "NPU", shapes=BOUNDED)
    assert str(compiled.input()) == "Input 0 'x': FLOAT32 [1..8, 3]"
    for rows in (1, 5, 8):
        np.testing.assert_array_equal(compiled([np.ones((rows, 3), np.float32)])[0], np.full((rows, 3), 4.0))
    with pytest.raises(InputError, match=r"Input 0 'x': expected shape \[1\.\.8, 3\].*dimension 0 must be 1\.\.8"):
        compiled([np.ones((9, 3), np.float32)])


def test_bounds_are_kept_in_the_file_of_a_compiled_model() -> None:
    core = Core()
    compiled = core.compile_model(open_chain(), "NPU", shapes=BOUNDED)
    imported = core.import_model(compiled.export_model(), "NPU")
    assert imported.input() == compiled.input()
    np.testing.assert_array_equal(imported([np.ones((3, 3), np.float32)])[0], np.full((3, 3), 4.0))


@pytest.mark.parametrize(
    ("shapes", "text"),
    [
        ({"x": [(0, 3), 3]}, r"shapes of 'x': dimension 0 must be \(least, most\) with 1 <= least"),
        ({"x": [(4, 3), 3]}, r"shapes of 'x': dimension 0 must be \(least, most\)"),
        ({"x": [(1, 2, 3), 3]}, r"shapes of 'x': dimension 0 must be a number, or a pair"),
        ({"x": ["8", 3]}, r"shapes of 'x': dimension 0 must be a number, or a pair"),
        ({"x": [(1, 8), (1, 3)]}, r"Input 0 'x', dimension 1 is 3 in the model, so it cannot have bounds; give 3"),
        ({"x": [(1, 8)]}, r"'x' must fit \[-1, 3\], got \[8\]"),
        ({"y": [(1, 8)]}, r"names 'y', the model's inputs are 'x'"),
    ],
)
@pytest.mark.parametrize("device", ["NPU", "CPU"])
def test_wrong_bounds_are_named(device: str, shapes: Any, text: str) -> None:
    with pytest.raises(InputError, match=text):
        Core().compile_model(open_chain(), device, shapes=shapes)
