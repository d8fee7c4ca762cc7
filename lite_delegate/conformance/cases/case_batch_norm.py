"""Conformance cases of BatchNorm, expected values by a direct loop over every element."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase


def loop(x: Array, mean: Array, variance: Array, epsilon: float) -> Array:
    """The expected values, element by element, in the dtype of ``x``."""
    out = np.empty(x.shape, dtype=x.dtype)
    for index in np.ndindex(x.shape):
        c = index[-1]
        out[index] = (float(x[index]) - float(mean[c])) / math.sqrt(float(variance[c]) + epsilon)
    return out


def _case(
    name: str, x: Array, rng: np.random.Generator, epsilon: float, constants: frozenset[int], **more: Any
) -> ConformanceCase:
    channels = x.shape[-1]
    mean = rng.normal(size=channels).astype(x.dtype)
    variance = rng.uniform(0.1, 4, size=channels).astype(x.dtype)
    tolerance = 2e-3 if x.dtype == np.float16 else 1e-5
    return ConformanceCase(
        name,
        "BatchNorm",
        (x, mean, variance),
        (loop(x, mean, variance, epsilon),),
        {"epsilon": epsilon, **more},
        constants,
        rtol=tolerance,
        atol=tolerance / 10,
    )


def cases() -> Iterator[ConformanceCase]:
    """Ranks and channel counts, epsilons, attributes without effect, dtypes, a variance of 0."""
    rng = np.random.default_rng(19)
    constants = frozenset({1, 2})
    for name, shape in [
        ("rank_4", (2, 3, 3, 8)),
        ("rank_2", (5, 3)),
        ("rank_1", (7,)),
        ("rank_5", (1, 2, 2, 3, 4)),
        ("channels_1", (2, 3, 1, 1)),
        ("channels_16", (1, 2, 3, 16)),
        ("channels_17", (3, 1, 2, 17)),
        ("empty_batch", (0, 2, 2, 3)),
    ]:
        x = (rng.normal(size=shape) * 2).astype(np.float32)
        yield _case(name, x, rng, 1e-3, constants)
    x = (rng.normal(size=(2, 4, 5)) * 2).astype(np.float32)
    for epsilon in (0.0, 1e-5, 0.5):
        yield _case(f"epsilon_{epsilon}", x, rng, epsilon, constants)
    yield _case("format_nhwc", x, rng, 1e-3, constants, format="NHWC")
    yield _case("is_training_has_no_effect", x, rng, 1e-3, constants, is_training=True)
    yield _case("not_constant", x, rng, 1e-3, frozenset())
    yield _case("float16", x.astype(np.float16), rng, 1e-3, constants)
    yield _case("float64", x.astype(np.float64), rng, 1e-3, constants)
    x = np.array([[1.0, 2.0, np.nan], [3.0, 0.5, np.inf]], dtype=np.float32)
    mean, variance = np.array([1, 2, 0], dtype=np.float32), np.array([0, 0, 1], dtype=np.float32)
    y = np.array([[np.nan, np.nan, np.nan], [np.inf, -np.inf, np.inf]], dtype=np.float32)
    yield ConformanceCase("variance_0_epsilon_0", "BatchNorm", (x, mean, variance), (y,), {}, constants, source="hand")
