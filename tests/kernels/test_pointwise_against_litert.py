"""Operators that were born in TensorFlow against LiteRT."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array

from tests.kernels.litert_node import run_litert
from tests.kernels.single_node import normal, run

INF = float("inf")
FLAGS = np.random.default_rng(1).uniform(size=(3, 4, 2)) < 0.7


def _litert(op: str, inputs: list[Array], dtype: str = "float32", **options: Any) -> Array:
    return run_litert(op, inputs, options=options, output_dtype=dtype)[0]


def _same(got: Array, want: Array) -> None:
    np.testing.assert_array_equal(got, want, strict=True)


@pytest.mark.parametrize(
    ("low", "high"), [(-1.0, 2.0), (0.0, 6.0), (-6.0, 0.0), (0.5, 3.0), (-3.0, -0.5), (-10.0, 53.75)]
)
@pytest.mark.parametrize("bits", [4, 8, 12])
def test_fake_quant(low: float, high: float, bits: int) -> None:
    x = np.random.default_rng(2).uniform(low - 1, high + 1, size=300).astype(np.float32)
    attributes: dict[str, Any] = {"min": low, "max": high, "numBits": bits, "narrowRange": False}
    want = _litert("FAKE_QUANT", [x], table="FakeQuantOptions", **attributes)
    bounds = [np.array(b, dtype=np.float32) for b in (low, high)]
    got = run("FakeQuantWithMinMaxVars", x, *bounds, num_bits=bits)
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6, strict=True)


def test_fake_quant_per_channel_is_one_fake_quant_per_channel() -> None:
    x = normal(20, 3, seed=3) * 4
    low, high = np.array([-1, 0, -6], dtype=np.float32), np.array([2, 6, -0.5], dtype=np.float32)
    got = run("FakeQuantWithMinMaxVarsPerChannel", x, low, high, num_bits=8)
    for channel in range(3):
        bounds: dict[str, Any] = {"min": float(low[channel]), "max": float(high[channel])}
        column = np.ascontiguousarray(x[:, channel])
        want = _litert("FAKE_QUANT", [column], table="FakeQuantOptions", numBits=8, narrowRange=False, **bounds)
        np.testing.assert_allclose(got[:, channel], want, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("op", "theirs"), [("FloorDiv", "FLOOR_DIV"), ("FloorMod", "FLOOR_MOD")])
def test_floor_division(op: str, theirs: str) -> None:
    a, b = normal(40, 1, seed=4) * 9, normal(7, seed=5)
    _same(run(op, a, b), _litert(theirs, [a, b]))
    x = np.arange(-20, 20, dtype=np.int32).reshape(-1, 1)
    y = np.array([-7, -3, -1, 1, 3, 7], dtype=np.int32)
    _same(run(op, x, y), _litert(theirs, [x, y], "int32"))


def test_floor_mod_by_infinity() -> None:
    x, y = np.array([5.5, -5.5], dtype=np.float32), np.array([INF, INF], dtype=np.float32)
    _same(run("FloorMod", x, y), _litert("FLOOR_MOD", [x, y]))


def test_round_takes_halves_to_the_even_number() -> None:
    x = np.arange(-6, 6.5, 0.5, dtype=np.float32)
    _same(run("Round", x), _litert("ROUND", [x]))


@pytest.mark.parametrize(("op", "theirs"), [("Rsqrt", "RSQRT"), ("Square", "SQUARE"), ("Abs", "ABS"), ("Log", "LOG")])
def test_functions(op: str, theirs: str) -> None:
    x = np.abs(normal(3, 50, seed=6)) + np.float32(0.01)
    np.testing.assert_allclose(run(op, x), _litert(theirs, [x]), rtol=2e-6, atol=1e-6, strict=True)


def test_squared_difference_and_sums() -> None:
    a, b = normal(3, 4, seed=7), normal(4, seed=8)
    _same(run("SquaredDifference", a, b), _litert("SQUARED_DIFFERENCE", [a, b]))
    xs = [normal(3, 4, seed=i) for i in range(3)]
    np.testing.assert_allclose(run("AddN", *xs), _litert("ADD_N", xs), rtol=2e-6, atol=1e-6, strict=True)


def test_log_softmax() -> None:
    x = normal(3, 9, seed=9) * 4
    np.testing.assert_allclose(run("LogSoftmax", x, axis=-1), _litert("LOG_SOFTMAX", [x]), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("axes", [(0,), (1,), (-1,), (0, 2), ()])
@pytest.mark.parametrize("keep", [False, True])
def test_all(axes: tuple[int, ...], keep: bool) -> None:
    over = np.array(axes, dtype=np.int32)
    want = _litert("REDUCE_ALL", [FLAGS, over], "bool", table="ReducerOptions", keepDims=keep)
    _same(run("All", FLAGS, over, keep_dims=int(keep)), want)


def test_coordinates_and_choices() -> None:
    _same(run("Where", FLAGS), _litert("WHERE", [FLAGS], "int64").astype(np.int32))
    x, y = normal(3, 4, 2, seed=10), normal(3, 4, 2, seed=11)
    _same(run("Select", FLAGS, x, y)[0], _litert("SELECT", [FLAGS, x, y]))


def test_rank_and_likes() -> None:
    x = normal(2, 3, 4, seed=12)
    _same(run("Rank", x), _litert("RANK", [x], "int32"))
    _same(run("ZerosLike", x), _litert("ZEROS_LIKE", [x]))


@pytest.mark.parametrize(("op", "theirs"), [("LogicalAnd", "LOGICAL_AND"), ("LogicalOr", "LOGICAL_OR")])
def test_logic(op: str, theirs: str) -> None:
    other = np.random.default_rng(13).uniform(size=(4, 2)) < 0.5
    _same(run(op, FLAGS, other), _litert(theirs, [FLAGS, other], "bool"))
    _same(run("LogicalNot", FLAGS), _litert("LOGICAL_NOT", [FLAGS], "bool"))
