"""Batches that have fewer rows: filled up, or run in plans of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import helper

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from lite_delegate import Core
from lite_delegate.batch.models.filling import MOST_SIZES, Filling
from lite_delegate.batch.models.opened_model import OpenedModel
from tests.batch.inline import write_graph

AT_ONCE = 0.0
"""The cost of a plan that pays before any row was filled up."""


def test_a_size_is_planned_once_its_filled_rows_have_cost_a_plan() -> None:
    filling = Filling(32, plan_seconds=1.0)
    sizes = []
    for _ in range(5):
        sizes.append(filling.size_of(24))
        filling.ran(24, seconds=2.0)  # 8 of 32 rows: half a second is lost
    assert sizes == [32, 32, 24, 24, 24]
    assert filling.size_of(8) == 32, "each size counts for itself"


def test_only_some_sizes_are_planned() -> None:
    filling = Filling(32, AT_ONCE)
    assert [filling.size_of(count) for count in range(1, 10)] == [*range(1, MOST_SIZES + 1)] + [32] * (9 - MOST_SIZES)
    assert filling.size_of(2) == 2


def test_nothing_is_planned_where_a_plan_is_impossible() -> None:
    filling = Filling(32, None)
    filling.ran(1, 1e9)
    assert filling.size_of(1) == 32


def opened(model: Path, filling: Filling) -> OpenedModel:
    return OpenedModel(Core().compile_model(model, shapes={"x": [4, 3]}), filling, 4, {})


def test_a_plan_of_its_own_gives_the_same_rows(tmp_path: Path) -> None:
    node = helper.make_node("Add", ["x", "x"], ["y"])
    filling = Filling(4, AT_ONCE)
    model = opened(write_graph(tmp_path / "m.onnx", [node], {"x": ["N", 3]}, {"y": ["N", 3]}), filling)
    rows = np.arange(12, dtype=np.float32).reshape(4, 3)
    for count in (4, 3, 1, 3):
        (found,) = model.run({"x": rows[:count]})
        np.testing.assert_array_equal(found, 2 * rows[:count])
    assert (filling.size_of(3), filling.size_of(1)) == (3, 1)


def test_a_model_that_takes_whole_batches_only_is_filled_up(tmp_path: Path) -> None:
    """The file says that rows are open, and reshapes to four rows inside."""
    nodes = [
        helper.make_node("Constant", [], ["dims"], value_ints=[4, 3]),
        helper.make_node("Reshape", ["x", "dims"], ["r"]),
        helper.make_node("Add", ["r", "r"], ["y"]),
    ]
    filling = Filling(4, AT_ONCE)
    model = opened(write_graph(tmp_path / "m.onnx", nodes, {"x": ["N", 3]}, {"y": [4, 3]}), filling)
    rows = np.ones((3, 3), np.float32)
    for _ in range(2):
        (found,) = model.run({"x": rows})
        np.testing.assert_array_equal(found, 2 * rows)
    assert filling.size_of(3) == 4
