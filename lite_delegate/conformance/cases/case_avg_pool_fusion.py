"""Conformance cases of AvgPoolFusion, the mean of every window's elements one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .case_max_pool_fusion import GEOMETRY, Pair, windows
from .loops.scalars import fused


def _loop(x: Array, out: Pair, start: Pair, attributes: dict[str, Any]) -> Array:
    y = np.empty((x.shape[0], *out, *x.shape[3:]), dtype=np.float64)
    for index, elements in windows(x, out, start, attributes):
        y[index] = fused(sum(elements) / len(elements), attributes.get("activation_type", "NO_ACTIVATION"))
    return y.astype(x.dtype)


def cases() -> Iterator[ConformanceCase]:
    """Pad modes, round modes, global, ranks, activations, float types; padding does not count; NaN and infinity."""
    rng = np.random.default_rng(17)
    for name, shape, out, start, attributes in GEOMETRY:
        yield _case(name, rng.normal(size=shape).astype(np.float32) * 4, out, start, attributes)
    attributes = {"kernel_size": (2, 2), "strides": (2, 2)}
    for dtype, rtol in [(np.float16, 1e-3), (np.float64, 1e-12)]:
        x = rng.normal(size=(1, 4, 4, 3)).astype(dtype)
        yield _case(np.dtype(dtype).name, x, (2, 2), (0, 0), attributes, rtol)
    big = np.full((1, 20, 20, 3), 60000, dtype=np.float16)
    yield _case("float16_sums_do_not_overflow", big, (1, 1), (0, 0), {"global_": True}, 1e-3)
    x = rng.normal(size=(1, 4, 4, 2)).astype(np.float32)
    x[0, 0, 0, 0], x[0, 3, 3, 1], x[0, 0, 3, 0] = np.nan, np.inf, -np.inf
    yield _case("nan_and_infinity", x, (2, 2), (0, 0), attributes)
    yield _case("nan_and_infinity_global", x, (1, 1), (0, 0), {"global_": True})
    ones = np.ones((1, 3, 3, 1), dtype=np.float32)
    padded = {"kernel_size": (3, 3), "strides": (1, 1), "pad": (1, 1, 1, 1)}
    yield _case("padding_does_not_count", ones, (3, 3), (1, 1), padded)


def _case(
    name: str, x: Array, out: Pair, start: Pair, attributes: dict[str, Any], rtol: float = 1e-5
) -> ConformanceCase:
    y = _loop(x, out, start, attributes)
    return ConformanceCase(name, "AvgPoolFusion", (x,), (y,), attributes, rtol=rtol, atol=rtol)
