"""Conformance cases of FftImag, one pair at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def _case(name: str, x: Array) -> ConformanceCase:
    y = np.empty(x.shape[:-1], dtype=x.dtype)
    for index in np.ndindex(*y.shape):
        y[index] = x[(*index, 1)]
    return ConformanceCase(name, "FftImag", (x,), (y,), rtol=0, atol=0)


def cases() -> Iterator[ConformanceCase]:
    """Ranks 1 to 5, float types, NaN and infinity, empty arrays."""
    rng = np.random.default_rng(60)
    for shape in [(2,), (7, 2), (3, 5, 2), (2, 3, 17, 2), (2, 1, 2, 3, 2), (1, 1, 2)]:
        yield _case(
            f"rank_{len(shape)}_of_{shape[-2] if len(shape) > 1 else 1}", rng.normal(size=shape).astype(np.float32)
        )
    for dtype in ("float16", "float64"):
        yield _case(dtype, rng.normal(size=(3, 4, 2)).astype(dtype))
    yield _case("nan_and_infinity", np.array([[np.nan, 1], [2, np.inf], [-np.inf, np.nan]], dtype=np.float32))
    yield _case("empty", np.zeros((3, 0, 2), dtype=np.float32))
