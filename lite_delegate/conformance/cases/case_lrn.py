"""Conformance cases of LRN, expected values by a direct loop over every element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase


def loop(x: Array, radius: int, bias: float, alpha: float, beta: float) -> Array:
    """The expected values, element by element, in the dtype of ``x``."""
    y = np.empty(x.shape, dtype=x.dtype)
    for index in np.ndindex(x.shape):
        c = index[-1]
        near = range(max(0, c - radius), min(x.shape[-1], c + radius + 1))
        total = sum(float(x[(*index[:-1], k)]) ** 2 for k in near)
        y[index] = float(x[index]) * (bias + alpha * total) ** -beta
    return y


def _case(
    name: str, x: Array, radius: int = 2, bias: float = 1.0, alpha: float = 0.125, beta: float = 0.75, **more: Any
) -> ConformanceCase:
    attributes = {"depth_radius": radius, "bias": bias, "alpha": alpha, "beta": beta, **more}
    tolerance = {"float16": 2e-3, "float64": 1e-12}.get(x.dtype.name, 1e-5)
    expected = (loop(x, radius, bias, alpha, beta),)
    return ConformanceCase(name, "LRN", (x,), expected, attributes, rtol=tolerance, atol=tolerance / 10)


def cases() -> Iterator[ConformanceCase]:
    """Radii from 0 to beyond the channels, every coefficient, ranks, channel counts, dtypes, special values."""
    rng = np.random.default_rng(85)
    for channels in (1, 3, 7, 8, 16, 17):
        yield _case(f"channels_{channels}", rng.normal(size=(2, 2, 3, channels)).astype(np.float32) * 3)
    x = rng.normal(size=(2, 3, 2, 9)).astype(np.float32) * 3
    for radius in (0, 1, 4, 8, 9, 100):
        yield _case(f"radius_{radius}", x, radius)
    for name, bias, alpha, beta in [
        ("bias_2", 2.0, 1e-4, 0.75),
        ("alpha_0", 2.0, 0.0, 0.75),
        ("alpha_1", 1.0, 1.0, 0.75),
        ("beta_0", 1.0, 1.0, 0.0),
        ("beta_1", 1.0, 0.5, 1.0),
        ("beta_half_without_bias", 0.0, 1.0, 0.5),
        ("beta_negative", 1.0, 0.5, -0.5),
    ]:
        yield _case(name, x, 2, bias, alpha, beta)
    yield _case("across_channels", x, norm_region="ACROSS_CHANNELS")
    yield _case("region_absent", x, norm_region=None)
    yield _case("rank_1", x[0, 0, 0])
    yield _case("rank_2", x[0, 0])
    yield _case("rank_5", x[None])
    yield _case("float16", x.astype(np.float16))
    yield _case("float16_squares_beyond_its_range", (x * 100).astype(np.float16))
    yield _case("float64", x.astype(np.float64), alpha=0.125)
    for name, shape in [("empty_batch", (0, 2, 2, 3)), ("no_channels", (1, 2, 2, 0))]:
        yield _case(name, np.zeros(shape, dtype=np.float32))
    special = np.array([[1, np.nan, 2, 3, np.inf, 1]], dtype=np.float32)
    wanted = np.array([[np.nan, np.nan, np.nan, 0, np.nan, 0]], dtype=np.float32)
    attributes = {"depth_radius": 1, "bias": 1.0, "alpha": 1.0, "beta": 1.0}
    yield ConformanceCase("nan_and_infinity_reach_neighbors", "LRN", (special,), (wanted,), attributes, source="hand")
    negative = np.array([[1.0, 2.0]], dtype=np.float32)
    wanted = np.array([[np.nan, np.nan]], dtype=np.float32)
    attributes = {"depth_radius": 0, "bias": 0.0, "alpha": -1.0, "beta": 0.5}
    yield ConformanceCase("root_of_a_negative_sum_is_nan", "LRN", (negative,), (wanted,), attributes, source="hand")
