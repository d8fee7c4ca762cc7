"""Conformance cases of FakeQuantWithMinMaxVarsPerChannel, expected values one number at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .case_fake_quant_with_min_max_vars import RANGES, scalar_fake_quant

OP = "FakeQuantWithMinMaxVarsPerChannel"
NAN, INF = float("nan"), float("inf")


def _loop(x: Array, low: Array, high: Array, **attributes: Any) -> Array:
    out = np.empty(x.shape, dtype=x.dtype)
    for index in np.ndindex(*x.shape):
        bounds = float(low[index[-1]]), float(high[index[-1]])
        out[index] = scalar_fake_quant(float(x[index]), *bounds, **attributes)
    return out


def _case(name: str, x: Array, low: Array, high: Array, **attributes: Any) -> ConformanceCase:
    y = _loop(x, low, high, **attributes)
    keywords = {"num_bits": 8, **attributes}
    rtol = 1e-3 if x.dtype == np.float16 else 1e-5
    return ConformanceCase(name, OP, (x, low, high), (y,), keywords, frozenset({1, 2}), rtol)


def _bounds(rng: np.random.Generator, channels: int, dtype: str = "float32") -> tuple[Array, Array]:
    return rng.uniform(-3, -0.5, size=channels).astype(dtype), rng.uniform(0.5, 4, size=channels).astype(dtype)


def cases() -> Iterator[ConformanceCase]:
    """Channel counts, ranks, a range of each kind, bits, narrow ranges, dtypes, a channel without a range."""
    rng = np.random.default_rng(58)
    for channels in (1, 3, 7, 8, 16, 17):
        x = rng.uniform(-5, 6, size=(2, 3, channels)).astype(np.float32)
        yield _case(f"channels_{channels}", x, *_bounds(rng, channels))
    for name, shape in [("rank_1", (5,)), ("rank_2", (4, 5)), ("rank_4", (2, 3, 2, 5)), ("empty", (0, 5))]:
        x = rng.uniform(-5, 6, size=shape).astype(np.float32)
        yield _case(name, x, *_bounds(rng, 5))
    low = np.array([r[1] for r in RANGES], dtype=np.float32)
    high = np.array([r[2] for r in RANGES], dtype=np.float32)
    x = (rng.uniform(-1, 2, size=(9, len(RANGES))) * (high - low) + low).astype(np.float32)
    for narrow in (False, True):
        yield _case(f"every_kind_of_range_narrow_{narrow}", x, low, high, narrow_range=narrow)
    x = rng.uniform(-5, 6, size=(4, 3)).astype(np.float32)
    for bits in (2, 4, 16):
        yield _case(f"bits_{bits}", x, *_bounds(rng, 3), num_bits=bits)
    for dtype in ("float16", "float64"):
        yield _case(dtype, x.astype(dtype), *_bounds(rng, 3, dtype))
    low, high = _bounds(rng, 3)
    y = _loop(x, low, high)
    yield ConformanceCase("bounds_not_constant", OP, (x, low, high), (y,), {"num_bits": 8})
    low, high = np.array([0, 0], dtype=np.float32), np.array([255, 0], dtype=np.float32)
    x = np.array([[0.5, 3.0], [INF, INF], [-INF, -1.0], [NAN, 0.0]], dtype=np.float32)
    y = np.array([[1, 0], [255, 0], [0, 0], [NAN, 0]], dtype=np.float32)
    attributes = {"num_bits": 8}
    yield ConformanceCase(
        "written_down", OP, (x, low, high), (y,), attributes, frozenset({1, 2}), rtol=0, atol=0, source="hand"
    )
