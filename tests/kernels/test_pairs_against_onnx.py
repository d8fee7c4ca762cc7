"""Comparisons, logic, remainders, powers, sums and choices against ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest
from lite_delegate_kernels import Array

from tests.kernels.single_node import normal, run, run_onnx

INF, NAN = float("inf"), float("nan")
SPECIAL = np.array([NAN, INF, -INF, 0.0, -0.0, 1.0, -2.0], dtype=np.float32)
COMPARISONS = ["Equal", "Less", "LessEqual", "Greater", "GreaterEqual"]
SHAPES = [((2, 3, 4), (4,)), ((3, 1), (1, 5)), ((), (2, 2)), ((2, 0, 3), (3,))]
Shapes = tuple[tuple[int, ...], tuple[int, ...]]


def _same(got: Array, want: Array) -> None:
    np.testing.assert_array_equal(got, want, strict=True)


def _theirs(op: str) -> str:
    return {"LessEqual": "LessOrEqual", "GreaterEqual": "GreaterOrEqual"}.get(op, op)


def _whole(shape: tuple[int, ...], seed: int, dtype: str = "float32") -> Array:
    return np.asarray(np.random.default_rng(seed).integers(-3, 4, size=shape)).astype(dtype)


@pytest.mark.parametrize("op", COMPARISONS)
@pytest.mark.parametrize("shapes", SHAPES)
def test_comparisons(op: str, shapes: Shapes) -> None:
    a, b = _whole(shapes[0], 1), _whole(shapes[1], 2)
    _same(run(op, a, b), run_onnx(_theirs(op), [a, b])[0])


@pytest.mark.parametrize("op", COMPARISONS)
def test_comparisons_of_special_values_and_integers(op: str) -> None:
    a, b = SPECIAL.reshape(7, 1), SPECIAL.reshape(1, 7)
    _same(run(op, a, b), run_onnx(_theirs(op), [a, b])[0])
    for dtype in ("int32", "int64"):
        x, y = _whole((5, 6), 3, dtype), _whole((6,), 4, dtype)
        _same(run(op, x, y), run_onnx(_theirs(op), [x, y])[0])


def test_not_equal_is_the_negation_of_equal() -> None:
    a, b = SPECIAL.reshape(7, 1), SPECIAL.reshape(1, 7)
    _same(run("NotEqual", a, b), run_onnx("Not", run_onnx("Equal", [a, b]))[0])


@pytest.mark.parametrize(("op", "theirs"), [("LogicalAnd", "And"), ("LogicalOr", "Or")])
@pytest.mark.parametrize("shapes", SHAPES)
def test_logic(op: str, theirs: str, shapes: Shapes) -> None:
    a, b = (np.asarray(_whole(s, i) > 0) for i, s in enumerate(shapes))
    _same(run(op, a, b), run_onnx(theirs, [a, b])[0])
    _same(run("LogicalNot", a), run_onnx("Not", [a])[0])


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
def test_remainders_of_integers(dtype: str) -> None:
    a = np.arange(-20, 20).astype(dtype).reshape(-1, 1)
    b = np.array([-7, -3, -1, 1, 3, 7], dtype=dtype)
    _same(run("Mod", a, b), run_onnx("Mod", [a, b], fmod=1)[0])
    _same(run("FloorMod", a, b), run_onnx("Mod", [a, b], fmod=0)[0])


def test_remainders_of_floats() -> None:
    a, b = SPECIAL.reshape(7, 1), SPECIAL.reshape(1, 7)
    _same(run("Mod", a, b), run_onnx("Mod", [a, b], fmod=1)[0])
    x, y = normal(30, 1, seed=5) * 5, normal(8, seed=6)
    _same(run("Mod", x, y), run_onnx("Mod", [x, y], fmod=1)[0])


@pytest.mark.parametrize("shapes", SHAPES)
def test_division(shapes: Shapes) -> None:
    a, b = np.asarray(normal(*shapes[0], seed=7) * 9), normal(*shapes[1], seed=8)
    quotient = run_onnx("Div", [a, b])[0]
    _same(run("RealDiv", a, b), quotient)
    _same(run("FloorDiv", a, b), run_onnx("Floor", [quotient])[0])


def test_division_of_integers_and_special_values() -> None:
    a, b = _whole((4, 5), 9, "int32") * 7, np.array([-3, -1, 1, 2, 5], dtype=np.int32)
    _same(run("RealDiv", a, b), run_onnx("Div", [a, b])[0])
    x, y = SPECIAL.reshape(7, 1), SPECIAL.reshape(1, 7)
    _same(run("RealDiv", x, y), run_onnx("Div", [x, y])[0])


def test_squared_difference() -> None:
    a, b = normal(3, 4, seed=10), normal(4, seed=11)
    difference = run_onnx("Sub", [a, b])[0]
    _same(run("SquaredDifference", a, b), run_onnx("Mul", [difference, difference])[0])


@pytest.mark.parametrize("exponent", [2.0, 0.5, -1.0, 3.0, 0.0, 1.5])
def test_powers(exponent: float) -> None:
    x, e = normal(50, seed=12) * 3, np.array(exponent, dtype=np.float32)
    np.testing.assert_allclose(run("PowFusion", x, e), run_onnx("Pow", [x, e])[0], rtol=2e-6, strict=True)


def test_powers_of_special_values_and_integers() -> None:
    a, b = SPECIAL.reshape(7, 1), SPECIAL.reshape(1, 7)
    _same(run("PowFusion", a, b), run_onnx("Pow", [a, b])[0])
    x, e = np.array([[-3], [2], [5]], dtype=np.int32), np.array([0, 1, 2, 5], dtype=np.int32)
    _same(run("PowFusion", x, e), run_onnx("Pow", [x, e])[0])


@pytest.mark.parametrize("base", [2.0, 10.0, 0.3])
def test_exponentials_of_other_bases(base: float) -> None:
    x = normal(50, seed=13)
    want = run_onnx("Pow", [np.array(base, dtype=np.float32), np.float32(0.5) * x + np.float32(0.25)])[0]
    got = run("ExpFusion", x, base=float(np.float32(base)), scale=0.5, shift=0.25)
    np.testing.assert_allclose(got, want, rtol=2e-6, strict=True)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_sums(count: int) -> None:
    xs = [normal(3, 4, seed=20 + i) for i in range(count)]
    np.testing.assert_allclose(run("AddN", *xs), run_onnx("Sum", xs)[0], rtol=2e-6, atol=1e-6, strict=True)


@pytest.mark.parametrize("shapes", SHAPES)
def test_choices(shapes: Shapes) -> None:
    x, y = normal(*shapes[0], seed=30), normal(*shapes[1], seed=31)
    condition = np.asarray(_whole(np.broadcast_shapes(*shapes), 32) > 0)
    _same(run("Where", condition, x, y), run_onnx("Where", [condition, x, y])[0])


@pytest.mark.parametrize("shape", [(7,), (2, 3), (2, 0), (2, 3, 2)])
def test_coordinates(shape: tuple[int, ...]) -> None:
    x = _whole(shape, 33, "int32")
    _same(run("Where", x), run_onnx("NonZero", [x])[0].T.astype(np.int32))
