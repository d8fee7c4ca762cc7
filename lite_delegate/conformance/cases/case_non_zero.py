"""Conformance cases of NonZero, expected values by a direct walk over every element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import OTHER_DTYPES, exact


def _loop(x: Array) -> Array:
    found = [place for place in np.ndindex(*x.shape) if x[place] != 0]
    rows = [[place[i] for place in found] for i in range(x.ndim)]
    return np.array(rows, dtype=np.int32).reshape(x.ndim, len(found))


def cases() -> Iterator[ConformanceCase]:
    """Ranks 0 to 5, nothing and everything found, empty arrays, NaN and negative zero, every dtype."""
    rng = np.random.default_rng(0)
    for name, shape in [
        ("rank_1", (9,)),
        ("rank_2", (3, 7)),
        ("rank_3", (2, 3, 4)),
        ("rank_4_channels_17", (1, 2, 2, 17)),
        ("rank_5", (2, 1, 3, 2, 2)),
        ("one_element", (1, 1)),
        ("empty", (2, 0, 3)),
    ]:
        x = rng.integers(-1, 2, size=shape).astype(np.float32)
        yield exact("NonZero", name, (x,), (_loop(x),))
    for name, value in [("scalar_found", 3.0), ("scalar_not_found", 0.0)]:
        scalar = np.array(value, dtype=np.float32)
        expected = np.zeros((0, 1 if value else 0), dtype=np.int32)
        yield exact("NonZero", name, (scalar,), (expected,), source="hand")
    for name, value in [("nothing_found", 0.0), ("everything_found", 1.0)]:
        x = np.full((2, 3), value, dtype=np.float32)
        yield exact("NonZero", name, (x,), (_loop(x),))
    special = np.array([[np.nan, -0.0], [np.inf, 1e-45]], dtype=np.float32)
    places = np.array([[0, 1, 1], [0, 0, 1]], dtype=np.int32)
    yield exact("NonZero", "special_values", (special,), (places,), source="hand")
    for dtype in OTHER_DTYPES:
        x = rng.integers(0, 2, size=(3, 4)).astype(dtype)
        yield exact("NonZero", f"dtype_{dtype}", (x,), (_loop(x),), constants={0})
