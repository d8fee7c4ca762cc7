"""Conformance cases of InstanceNorm, expected values channel by channel and pixel by pixel."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def loop(x: Array, gamma: Array, beta: Array, epsilon: float) -> Array:
    """The expected values, element by element, in the dtype of ``x``."""
    y = np.empty(x.shape, dtype=x.dtype)
    pixels = list(np.ndindex(x.shape[1:-1]))
    for n, c in np.ndindex(x.shape[0], x.shape[-1]):
        values = [float(x[(n, *pixel, c)]) for pixel in pixels]
        mean = math.fsum(values) / len(values)
        variance = math.fsum((v - mean) ** 2 for v in values) / len(values)
        for pixel, value in zip(pixels, values, strict=True):
            y[(n, *pixel, c)] = (value - mean) / math.sqrt(variance + epsilon) * float(gamma[c]) + float(beta[c])
    return y


def _case(
    name: str, x: Array, epsilon: float = 1e-5, constants: frozenset[int] = frozenset({1, 2}), parameters: str = ""
) -> ConformanceCase:
    rng = np.random.default_rng(x.size + 74)
    gamma, beta = rng.normal(size=(2, x.shape[-1])).astype(parameters or x.dtype)
    tolerance = {"float16": 3e-3, "float64": 1e-10}.get(x.dtype.name, 3e-5)
    expected = loop(x, gamma, beta, epsilon)
    attributes = {"epsilon": epsilon}
    return ConformanceCase(
        name, "InstanceNorm", (x, gamma, beta), (expected,), attributes, constants, tolerance, tolerance
    )


def cases() -> Iterator[ConformanceCase]:
    """Channel counts, ranks, epsilons, dtypes, one pixel, equal pixels, large means, empty batches, NaN."""
    rng = np.random.default_rng(74)
    for channels in (1, 3, 7, 8, 16, 17):
        yield _case(f"channels_{channels}", (rng.normal(size=(2, 3, 5, channels)) * 3 + 1).astype(np.float32))
    for name, shape in [("rank_3", (2, 9, 4)), ("rank_5", (2, 2, 3, 2, 3)), ("one_row", (1, 1, 8, 3))]:
        yield _case(name, rng.normal(size=shape).astype(np.float32))
    x = (rng.normal(size=(2, 4, 4, 3)) * 2).astype(np.float32)
    for epsilon in (0.0, 1e-12, 1e-9, 0.5):
        yield _case(f"epsilon_{epsilon}", x, epsilon)
    yield _case("one_pixel", rng.normal(size=(3, 1, 1, 4)).astype(np.float32))
    yield _case("equal_pixels", np.full((1, 2, 2, 3), -2.5, dtype=np.float32))
    yield _case("large_mean", x + np.float32(300))
    yield _case("float16", x.astype(np.float16))
    yield _case("float16_sum_beyond_its_range", (rng.normal(size=(1, 12, 12, 2)) * 40 + 1000).astype(np.float16))
    yield _case("float16_with_float32_parameters", x.astype(np.float16), parameters="float32")
    yield _case("float64", x.astype(np.float64))
    yield _case("parameters_not_constant", x, constants=frozenset())
    yield _case("empty_batch", np.zeros((0, 2, 2, 3), dtype=np.float32))
    yield _case("no_channels", np.zeros((2, 2, 2, 0), dtype=np.float32))
    holed = x.copy()
    holed[0, 1, 1, 2], holed[1, 0, 0, 0] = np.nan, np.inf
    expected = loop(np.where(np.isfinite(holed), holed, 0), np.ones(3), np.zeros(3), 1e-5).astype(np.float32)
    expected[0, ..., 2] = expected[1, ..., 0] = np.nan
    ones, zeros = np.ones(3, dtype=np.float32), np.zeros(3, dtype=np.float32)
    inputs, attributes = (holed, ones, zeros), {"epsilon": 1e-5}
    yield ConformanceCase(
        "nan_and_infinity_stay_in_their_channel", "InstanceNorm", inputs, (expected,), attributes, rtol=3e-5, atol=3e-5
    )
