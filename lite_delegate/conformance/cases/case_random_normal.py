"""Conformance cases of RandomNormal: Philox's normal numbers, scaled and moved."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .loops.philox import normals


def _case(
    name: str,
    shape: tuple[int, ...],
    seed: float = 7.0,
    mean: float = 0.0,
    scale: float = 1.0,
    dtype: str = "float32",
    value: float = 0.0,
) -> ConformanceCase:
    count = int(np.prod(shape))
    numbers = [mean + scale * v for v in normals(count, int(seed), 0)]
    expected = np.array(numbers, dtype=np.float64).astype(dtype).reshape(shape)
    attributes = {"seed": seed, "mean": mean, "scale": scale}
    inputs = (np.full(shape, value, dtype=dtype),)
    tolerance = 2e-3 if dtype == "float16" else 1e-5
    return ConformanceCase(name, "RandomNormal", inputs, (expected,), attributes, rtol=tolerance, atol=tolerance)


def cases() -> Iterator[ConformanceCase]:
    """Seeds, means and scales, a scale of 0, ranks 0 to 5, dtypes, an input whose values do not count."""
    yield _case("plain", (3, 4))
    yield _case("seed_0", (3, 4), 0.0)
    yield _case("seed_large", (5,), 16777216.0)
    yield _case("seed_counts_by_its_whole_part", (5,), 7.75)
    yield _case("mean_and_scale", (3, 5), 1.0, -2.5, 0.25)
    yield _case("scale_0_is_the_mean", (3, 5), 1.0, 4.5, 0.0)
    yield _case("scale_0_mean_0", (3, 5), 1.0, 0.0, 0.0)
    yield _case("rank_0", ())
    yield _case("rank_1_odd_count", (7,))
    yield _case("rank_5", (1, 2, 1, 2, 3))
    yield _case("empty", (2, 0, 3))
    yield _case("float16", (3, 4), dtype="float16")
    yield _case("float64", (3, 4), dtype="float64", mean=1.0)
    yield _case("values_do_not_count", (2, 3), value=float("nan"))
