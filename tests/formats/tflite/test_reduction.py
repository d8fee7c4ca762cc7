"""Reductions, places of extremes and sums along an axis, imported and run, against LiteRT."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.formats.tflite.models import T, check, const, floats, int8, ints, out, qout

X = floats(1, 2, 3, 4)
Q = int8(1, 2, 3, 4, scale=0.04, zero_point=-7)
SAME_Q = qout(0.04, -7)
REDUCTIONS = ["MEAN", "SUM", "REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN"]


def scalar(number: Any, dtype: Any = np.int32) -> T:
    return const(np.array(number, dtype))


@pytest.mark.parametrize("op", REDUCTIONS)
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("axes", [(1,), (0, -1)])
def test_reductions(op: str, keep: bool, axes: tuple[int, ...]) -> None:
    check(op, [X, ints(*axes)], table="ReducerOptions", keepDims=keep)


@pytest.mark.parametrize("op", ["REDUCE_ANY", "REDUCE_ALL"])
def test_reductions_of_truths(op: str) -> None:
    data = np.random.default_rng(1).integers(0, 4, (5, 4)) > (2 if op == "REDUCE_ANY" else 0)
    check(op, [T(data), ints(1)], "bool", "ReducerOptions", keepDims=False)


@pytest.mark.parametrize("op", ["MEAN", "SUM"])
def test_quantized_reductions_within_a_quantum(op: str) -> None:
    result = qout(0.05, 3) if op == "MEAN" else qout(0.3, 3)
    # LiteRT's plain kernel of SUM gives other numbers than the definition, its optimized one does not.
    check(op, [Q, ints(1)], [result], "ReducerOptions", version=2, quanta=1, plain=op == "MEAN")


@pytest.mark.parametrize("op", ["REDUCE_MAX", "REDUCE_MIN"])
def test_quantized_extremes(op: str) -> None:
    check(op, [Q, ints(1)], [SAME_Q], "ReducerOptions", version=2)


@pytest.mark.parametrize(("op", "table"), [("ARG_MAX", "ArgMaxOptions"), ("ARG_MIN", "ArgMinOptions")])
@pytest.mark.parametrize(("kind", "dtype"), [(2, "int32"), (4, "int64")])
def test_places_of_extremes(op: str, table: str, kind: int, dtype: str) -> None:
    check(op, [X, scalar(1)], dtype, table, outputType=kind)
    check(op, [Q, scalar(-1)], dtype, table, outputType=kind, version=2)


def test_top_k() -> None:
    check("TOPK_V2", [X, scalar(2)], [out(), out("int32")])


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_cumulative_sums(exclusive: bool, reverse: bool) -> None:
    check("CUMSUM", [X, scalar(1)], table="CumsumOptions", exclusive=exclusive, reverse=reverse)


def test_segments() -> None:
    check("SEGMENT_SUM", [floats(1, 4, 3), ints(0, 0, 1, 2)])
    check("UNSORTED_SEGMENT_SUM", [floats(1, 4, 3), ints(2, 0, 2, 1), scalar(3)])
