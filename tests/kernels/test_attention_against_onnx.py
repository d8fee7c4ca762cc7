"""Attention against ONNX Runtime's own attention operators, which end before the output's projection."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array

from tests.kernels.single_node import normal, run, run_onnx

BATCH, QUERIES, KEYS, FEATURES = 2, 5, 7, 12
X = normal(BATCH, QUERIES, FEATURES, seed=1)
SOURCE = normal(BATCH, KEYS, FEATURES, seed=2)
WEIGHT, BIAS = normal(FEATURES, 24, seed=3) * np.float32(0.5), normal(24, seed=4)
OUT, OUT_BIAS = normal(8, 6, seed=5), normal(6, seed=6)


def _close(got: Array, want: Array) -> None:
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5, strict=True)


@pytest.mark.parametrize("heads", [1, 2, 4, 8])
@pytest.mark.parametrize("scale", [0.0, 0.3])
def test_self_attention(heads: int, scale: float) -> None:
    extra: dict[str, Any] = {"scale": scale} if scale else {}
    seen = run_onnx("Attention", [X, WEIGHT, BIAS], domain="com.microsoft", num_heads=heads, **extra)[0]
    got = run("Attention", X, X, X, WEIGHT, OUT, BIAS, OUT_BIAS, head_num=heads, head_size=8 // heads, scale=scale)
    _close(got, seen @ OUT + OUT_BIAS)


def test_mask() -> None:
    mask = np.array([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]])
    seen = run_onnx(
        "Attention",
        [X, WEIGHT, BIAS, mask.astype(np.int32)],
        domain="com.microsoft",
        num_heads=2,
        mask_filter_value=-1e4,
    )[0]
    own = mask[:, np.newaxis].astype(np.float32)
    _close(run("Attention", X, X, X, WEIGHT, OUT, BIAS, OUT_BIAS, own, head_num=2), seen @ OUT + OUT_BIAS)


@pytest.mark.parametrize("heads", [1, 2, 4])
@pytest.mark.parametrize("form", ["separate", "cross"])
def test_cross_attention_with_its_keys_and_values(heads: int, form: str) -> None:
    q, k, v = X @ WEIGHT[:, :8], SOURCE @ WEIGHT[:, 8:16], SOURCE @ WEIGHT[:, 16:]
    wanted, keys, values = run_onnx(
        "MultiHeadAttention", [q, k, v, BIAS], 3, domain="com.microsoft", num_heads=heads, unidirectional=0
    )
    if form == "separate":
        parameters = [*np.split(WEIGHT, 3, axis=1), OUT, *np.split(BIAS, 3), OUT_BIAS]
    else:
        parameters = [WEIGHT[:, :8], WEIGHT[:, 8:], OUT, BIAS, OUT_BIAS]
    got = run("Attention", X, SOURCE, SOURCE, *parameters, head_num=heads, cross=form == "cross", output_count=3)
    _close(got[0], wanted @ OUT + OUT_BIAS)
    _close(got[1], keys.swapaxes(2, 3))
    _close(got[2], values)


def test_position_bias() -> None:
    table = normal(1, 2, QUERIES, QUERIES, seed=7)
    none = np.zeros(24, dtype=np.float32)
    inputs = [X, WEIGHT, none, None, None, np.repeat(table, BATCH, axis=0)]
    seen = run_onnx("Attention", inputs, domain="com.microsoft", num_heads=2, scale=1.0)[0]
    _close(run("Attention", X, X, X, WEIGHT, OUT, table, head_num=2, scale=1.0), seen @ OUT)


def test_a_query_that_may_look_at_no_key_looks_at_all_of_them() -> None:
    seen = run_onnx("Attention", [X, WEIGHT, BIAS], domain="com.microsoft", num_heads=2)[0]
    nothing = np.zeros((BATCH, 1, QUERIES), dtype=np.float32)
    _close(run("Attention", X, X, X, WEIGHT, OUT, BIAS, OUT_BIAS, nothing, head_num=2), seen @ OUT + OUT_BIAS)
