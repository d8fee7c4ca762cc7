"""Conformance cases of PReLUFusion, expected values by a direct loop over every element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .families.elementwise import TOLERANCES

NAN, INF = float("nan"), float("inf")


def loop(x: Array, slopes: list[float]) -> Array:
    """The expected values, element by element, in the dtype of ``x``."""
    out = np.empty(x.shape, dtype=x.dtype)
    for index in np.ndindex(*x.shape):
        value = float(x[index])
        slope = slopes[0] if len(slopes) == 1 else slopes[index[-1]]
        out[index] = value if value > 0 else slope * value
    return out


def _case(name: str, x: Array, slope: Array, shared: bool = False) -> ConformanceCase:
    rtol, atol = TOLERANCES[x.dtype.name]
    expected = (loop(x, [float(s) for s in slope.ravel()]),)
    attributes = {"channel_shared": shared}
    return ConformanceCase(name, "PReLUFusion", (x, slope), expected, attributes, frozenset({1}), rtol, atol)


def cases() -> Iterator[ConformanceCase]:
    """One slope and one per channel, channel counts, ranks, forms of the slope, dtypes, special values, no elements."""
    rng = np.random.default_rng(112)
    for channels in (1, 3, 7, 8, 16, 17):
        x = rng.normal(size=(2, 3, 2, channels)).astype(np.float32)
        yield _case(f"channels_{channels}", x, rng.uniform(-0.5, 1.5, size=channels).astype(np.float32))
    for name, shape in [
        ("rank_1", (5,)),
        ("rank_2", (3, 5)),
        ("rank_3", (2, 3, 5)),
        ("rank_5", (2, 1, 3, 2, 5)),
        ("empty", (0, 5)),
        ("one_element", (1,)),
    ]:
        x = rng.normal(size=shape).astype(np.float32)
        yield _case(name, x, rng.uniform(0, 1, size=shape[-1]).astype(np.float32))
        yield _case(f"{name}_one_slope", x, np.array([0.25], dtype=np.float32))
    yield _case("rank_0", np.array(-2, dtype=np.float32), np.array([0.5], dtype=np.float32))
    yield _case("no_channels", np.zeros((3, 0), dtype=np.float32), np.zeros(0, dtype=np.float32))
    x = rng.normal(size=(1, 2, 3, 4)).astype(np.float32)
    slope = rng.uniform(0, 1, size=4).astype(np.float32)
    yield _case("slope_of_rank_0", x, np.array(0.1, dtype=np.float32))
    yield _case("slope_of_rank_3", x, slope.reshape(1, 1, 4))
    yield _case("channel_shared_has_no_effect", x, slope, shared=True)
    yield _case("channel_shared_with_one_slope", x, slope[:1], shared=True)
    for dtype in ("float16", "float64"):
        yield _case(dtype, x.astype(dtype), slope.astype(dtype))
    yield _case("float16_with_float32_slope", x.astype(np.float16), slope)
    inputs = (x, slope)
    yield ConformanceCase("slope_not_constant", "PReLUFusion", inputs, (loop(x, slope.tolist()),), rtol=2e-6)
    special = np.array([[NAN, INF, -INF, 0.0, -1e38]], dtype=np.float32)
    slopes = np.array([0.5, 0.5, 0.5, 2.0, 10.0], dtype=np.float32)
    y = np.array([[NAN, INF, -INF, 0.0, -INF]], dtype=np.float32)
    inputs = (special, slopes)
    yield ConformanceCase(
        "special_values", "PReLUFusion", inputs, (y,), {}, frozenset({1}), rtol=0, atol=0, source="hand"
    )
