"""Conformance cases of BiasAdd, one element at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def loop(x: Array, bias: Array) -> Array:
    """The expected values, element by element, in the dtype of ``x``."""
    y = np.empty_like(x)
    for index in np.ndindex(*x.shape):
        y[index] = x.dtype.type(x[index].item() + bias[index[-1]].item())
    return y


def cases() -> Iterator[ConformanceCase]:
    """Ranks 1 to 5, channel counts, every dtype, NaN and infinity, empty."""
    rng = np.random.default_rng(23)
    for name, shape in [
        ("rank_1", (7,)),
        ("rank_2", (3, 8)),
        ("rank_3", (2, 5, 16)),
        ("rank_4", (2, 3, 4, 17)),
        ("rank_5", (2, 1, 3, 2, 3)),
        ("one_channel", (1, 4, 4, 1)),
        ("one_element", (1, 1)),
        ("empty_batch", (0, 2, 2, 3)),
        ("no_channels", (2, 0)),
    ]:
        x, bias = rng.normal(size=shape).astype(np.float32), rng.normal(size=shape[-1]).astype(np.float32)
        yield _case(name, x, bias)
    for dtype in (np.float16, np.float64, np.int32, np.int64):
        values = (rng.normal(size=(2, 3, 8)) * 9).astype(dtype)
        yield _case(np.dtype(dtype).name, values, values[1, 1])
    half = rng.normal(size=3).astype(np.float16)
    yield _case("float16_bias_of_a_float32_input", rng.normal(size=(2, 3)).astype(np.float32), half)
    yield _case("float32_bias_of_a_float16_input", half[None], rng.normal(size=3).astype(np.float32))
    x = np.array([[np.nan, 1, np.inf, np.inf], [-np.inf, 0, 2, 3]], dtype=np.float32)
    yield _case("nan_and_infinity", x, np.array([1, np.nan, 2, -np.inf], dtype=np.float32))


def _case(name: str, x: Array, bias: Array) -> ConformanceCase:
    exact = x.dtype != np.float16
    return ConformanceCase(
        name,
        "BiasAdd",
        (x, bias),
        (loop(x, bias),),
        {"format": "NHWC"},
        constants=frozenset({1}),
        rtol=1e-6 if exact else 1e-3,
        atol=1e-6 if exact else 1e-3,
    )
