"""Functions of one array, activations with a table of their own, and Dropout against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array

from tests.kernels.single_node import normal, run, run_onnx

INF, NAN = float("inf"), float("nan")
SPECIAL = np.array([NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 2.5, -2.5], dtype=np.float32)


def _close(got: Array, want: Array, rtol: float = 2e-6, atol: float = 1e-6) -> None:
    np.testing.assert_allclose(got, want, rtol=rtol, atol=atol, strict=True)


@pytest.mark.parametrize("op", ["Abs", "Neg", "Ceil", "Floor", "Round", "Sqrt", "Reciprocal"])
def test_exact_functions(op: str) -> None:
    x = np.concatenate([SPECIAL, normal(1000, seed=1) * 5, np.arange(-8, 8, 0.5, dtype=np.float32)])
    np.testing.assert_array_equal(run(op, x), run_onnx(op, [x])[0], strict=True)


@pytest.mark.parametrize(
    ("op", "theirs"), [("ExpFusion", "Exp"), ("Log", "Log"), ("Sin", "Sin"), ("Cos", "Cos"), ("Erf", "Erf")]
)
def test_smooth_functions(op: str, theirs: str) -> None:
    x = np.concatenate([SPECIAL, normal(1000, seed=2) * 3])
    _close(run(op, x), run_onnx(theirs, [x])[0])


def test_rsqrt() -> None:
    x = np.concatenate([SPECIAL, np.abs(normal(1000, seed=3)) * 9])
    _close(run("Rsqrt", x), run_onnx("Reciprocal", run_onnx("Sqrt", [x]))[0])


def test_log1p() -> None:
    x = np.abs(normal(1000, seed=4)) * 9
    _close(run("Log1p", x), run_onnx("Log", [np.float32(1) + x])[0])


@pytest.mark.parametrize("dtype", ["int32", "int64", "int8"])
def test_integers(dtype: str) -> None:
    x = np.random.default_rng(5).integers(-100, 100, size=50).astype(dtype)
    for op in ("Abs", "Neg"):
        np.testing.assert_array_equal(run(op, x), run_onnx(op, [x])[0], strict=True)
    wide = x.astype(np.int64)
    np.testing.assert_array_equal(run("Square", wide), run_onnx("Mul", [wide, wide])[0], strict=True)


def test_is_finite() -> None:
    infinite, nan = run_onnx("IsInf", [SPECIAL])[0], run_onnx("IsNaN", [SPECIAL])[0]
    np.testing.assert_array_equal(run("IsFinite", SPECIAL), ~(infinite | nan), strict=True)


@pytest.mark.parametrize("alpha", [0.1, 1.0, 1.7])
def test_elu_and_leaky_relu(alpha: float) -> None:
    x = np.concatenate([SPECIAL, normal(500, seed=6) * 4])
    _close(run("Elu", x, alpha=alpha), run_onnx("Elu", [x], alpha=alpha)[0])
    _close(run("LeakyRelu", x, negative_slope=alpha), run_onnx("LeakyRelu", [x], alpha=alpha)[0])


@pytest.mark.parametrize("shape", [(8,), (1,)])
def test_prelu(shape: tuple[int, ...]) -> None:
    x, slope = normal(2, 3, 4, 8, seed=7), normal(*shape, seed=8)
    _close(run("PReLUFusion", x, slope), run_onnx("PRelu", [x, slope])[0])


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_log_softmax(axis: int) -> None:
    x = normal(3, 5, 7, seed=9) * 4
    _close(run("LogSoftmax", x, axis=axis), run_onnx("LogSoftmax", [x], axis=axis)[0])


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_glu(axis: int) -> None:
    x = normal(4, 6, 8, seed=10) * 4
    a, b = run_onnx("Split", [x], 2, axis=axis, num_outputs=2)
    _close(run("GLU", x, axis=axis), run_onnx("Mul", [a, run_onnx("Sigmoid", [b])[0]])[0])


def test_dropout() -> None:
    x = normal(3, 4, seed=11)
    want, mask = run_onnx("Dropout", [x, np.array(0.3, dtype=np.float32)], 2)
    y, ours = run("Dropout", x, keep_prob=0.7, output_count=2)
    np.testing.assert_array_equal(y, want)
    np.testing.assert_array_equal(ours, mask.astype(np.float32), strict=True)


@pytest.mark.parametrize("bounds", [(-1.0, 1.5), (0.0, 6.0), (-3.0, -2.0)])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "int8"])
def test_clip(bounds: tuple[float, float], dtype: str) -> None:
    if dtype.startswith("int"):
        bounds = (float(np.floor(bounds[0])), float(np.floor(bounds[1])))
    x = (normal(200, seed=12) * 5).astype(dtype)
    low, high = (np.array(b, dtype=dtype) for b in bounds)
    want = run_onnx("Clip", [x, low, high])[0]
    np.testing.assert_array_equal(run("Clip", x, low, high), want, strict=True)
    np.testing.assert_array_equal(run("Clip", x, min=bounds[0], max=bounds[1]), want, strict=True)


@pytest.mark.parametrize("shape", [(), (1,), (2, 0, 3), (2, 1, 3, 2)])
@pytest.mark.parametrize(("op", "function"), [("Size", "Size"), ("Rank", "Size")])
def test_size_and_rank(op: str, function: str, shape: tuple[int, ...]) -> None:
    x: Any = np.zeros(shape, dtype=np.float32)
    counted = x if op == "Size" else run_onnx("Shape", [x])[0]
    assert int(run(op, x)) == int(run_onnx(function, [counted])[0])
