"""Steps that may lose digits are found by their form, and told only of delegates that store a coarser type."""

from __future__ import annotations

import json

import numpy as np
import pytest

from lite_delegate import DataType
from lite_delegate.ir import Graph, Node, Value, constant
from lite_delegate.report import partition_report
from lite_delegate.report.accuracy.digits import DigitRisk
from tests.compare.losing import AXES, ROWS, WIDTH, HalfDevice, built, layer_norm, mean_of, node, overflowing
from tests.compare.planted import Planted
from tests.runtime.graphs import chain, value


class Storing(Planted):
    """Takes everything, and stores real numbers in a type."""

    def __init__(self, storage: DataType | None) -> None:
        super().__init__()
        self.storage_dtype = storage


def risks(graph: Graph, storage: DataType | None = DataType.FLOAT16) -> dict[str, DigitRisk]:
    return {risk.form: risk for risk in partition_report(built(graph, Storing(storage))).digit_risks}


def of(nodes: list[Node], x: Value) -> Graph:
    return Graph("g", [x], nodes[-1].outputs, nodes)


def scaled_and_reshaped() -> Graph:
    """As JAX writes it: sums times 1 / n, a reshape between, and a maximum with 0 behind."""
    x = value("x", (ROWS, WIDTH))
    share = constant("share", np.array([1 / WIDTH], np.float32))
    square = node("square", "Square", [x], (ROWS, WIDTH))
    total = node("total", "ReduceFusion", [x, AXES], (ROWS,), mode="ReduceSum")
    squares = node("squares", "ReduceFusion", [square.outputs[0], AXES], (ROWS,), mode="ReduceSum")
    mean = node("mean", "MulFusion", [total.outputs[0], share], (ROWS,))
    mean_square = node("mean_square", "MulFusion", [squares.outputs[0], share], (ROWS,))
    squared = node("squared", "MulFusion", [mean.outputs[0], mean.outputs[0]], (ROWS,))
    variance = node("variance", "SubFusion", [mean_square.outputs[0], squared.outputs[0]], (ROWS,))
    return of([square, total, squares, mean, mean_square, squared, variance], x)


def two_pass() -> Graph:
    """E[(x - E[x])^2], which cancels nothing."""
    x = value("x", (ROWS, WIDTH))
    mean = mean_of("mean", x)
    centered = node("centered", "SubFusion", [x, mean.outputs[0]], (ROWS, WIDTH))
    square = node("square", "MulFusion", [centered.outputs[0], centered.outputs[0]], (ROWS, WIDTH))
    variance = mean_of("variance", square.outputs[0])
    return of([mean, centered, square, variance], x)


def other_mean() -> Graph:
    """E[x^2] - E[y]^2: no variance."""
    x = value("x", (ROWS, WIDTH))
    y = node("y", "Abs", [x], (ROWS, WIDTH))
    square = node("square", "Square", [x], (ROWS, WIDTH))
    mean_square, mean = mean_of("mean_square", square.outputs[0]), mean_of("mean", y.outputs[0])
    squared = node("squared", "Square", [mean.outputs[0]], (ROWS, 1))
    difference = node("difference", "SubFusion", [mean_square.outputs[0], squared.outputs[0]], (ROWS, 1))
    return of([y, square, mean_square, mean, squared, difference], x)


def stable_softmax() -> Graph:
    x = value("x", (1, 3))
    largest = node("largest", "ReduceFusion", [x, AXES], (1, 1), mode="ReduceMax", keep_dims=True)
    below = node("below", "SubFusion", [x, largest.outputs[0]], (1, 3))
    exp = node("exp", "ExpFusion", [below.outputs[0]], (1, 3), base=-1.0, scale=1.0, shift=0.0)
    return of([largest, below, exp], x)


def running_sum(length: int) -> Graph:
    x = value("x", (1, length))
    axis = constant("axis", np.array(1, np.int32))
    return of([node("sum", "CumSum", [x, axis], (1, length), exclusive=False, reverse=False)], x)


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (layer_norm(), {"variance": ("variance",)}),
        (scaled_and_reshaped(), {"variance": ("variance",), "sum of squares": ("squares",)}),
        (two_pass(), {}),
        (other_mean(), {}),
        (overflowing(), {"exponential": ("exp",)}),
        (stable_softmax(), {}),
        (running_sum(2048), {}),
        (running_sum(2049), {"running sum": ("sum",)}),
        (chain(3), {}),
    ],
)
def test_forms(graph: Graph, expected: dict[str, tuple[str, ...]]) -> None:
    assert {form: risk.nodes for form, risk in risks(graph).items()} == expected


@pytest.mark.parametrize("storage", [None, DataType.FLOAT32])
def test_float32_has_none(storage: DataType | None) -> None:
    assert risks(layer_norm(), storage) == {}


def test_bfloat16_has_the_range_and_not_the_digits() -> None:
    assert set(risks(scaled_and_reshaped(), DataType.BFLOAT16)) == {"variance"}


def test_what_stays_on_the_cpu_has_none() -> None:
    delegate = Storing(DataType.FLOAT16)
    delegate.names = ("centered", "normed")
    assert partition_report(built(layer_norm(), delegate)).digit_risks == ()


def test_all_forms_of_the_report_tell_it() -> None:
    report = partition_report(built(layer_norm(), HalfDevice()))
    for text in (report.to_text(), report.to_markdown(), report.to_html()):
        flat = " ".join(text.replace("\\", "").split())
        assert "ay lose digits in float16 on" in flat
        assert "--repair" in flat
    (risk,) = json.loads(report.to_json())["digit_risks"]
    assert (risk["form"], risk["delegate"], risk["storage"]) == ("variance", "half", "FLOAT16")
