"""Conformance cases of Unique, expected values by comparing every element with those found before it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import OTHER_DTYPES, exact


def _loop(x: Array) -> tuple[Array, Array]:
    values: list[object] = []
    places = []
    for element in x.ravel().tolist():
        if element not in values:
            values.append(element)
        places.append(values.index(element))
    return np.array(values, dtype=x.dtype), np.array(places, dtype=np.int32)


def cases() -> Iterator[ConformanceCase]:
    """Values out of order, all equal, all different, ranks 0 to 3, empty, NaN and negative zero, every dtype."""
    rng = np.random.default_rng(163)
    for name, values in [
        ("first_appearance_decides", [5.0, 1.0, 5.0, -2.0, 1.0, 9.0]),
        ("all_equal", [3.0, 3.0, 3.0]),
        ("all_different", [3.0, 1.0, 2.0]),
        ("descending", [4.0, 3.0, 3.0, 1.0]),
        ("one_element", [7.0]),
        ("empty", []),
        ("infinities", [np.inf, 0.0, -np.inf, np.inf]),
    ]:
        x = np.array(values, dtype=np.float32)
        yield exact("Unique", name, (x,), _loop(x))
    for rank, shape in enumerate([(), (17,), (3, 4), (2, 2, 3)]):
        x = rng.integers(0, 4, size=shape).astype(np.int32)
        yield exact("Unique", f"rank_{rank}_is_flattened", (x,), _loop(x))
    many = rng.integers(-50, 50, size=300).astype(np.int32)
    yield exact("Unique", "many", (many,), _loop(many), constants={0})
    special = np.array([np.nan, 1.0, np.nan, -0.0, 0.0], dtype=np.float32)
    expected = (np.array([np.nan, 1.0, np.nan, -0.0], dtype=np.float32), np.array([0, 1, 2, 3, 3], dtype=np.int32))
    yield exact("Unique", "nan_equals_nothing", (special,), expected, source="hand")
    for dtype in OTHER_DTYPES:
        x = rng.integers(0, 2 if dtype == "bool" else 5, size=9).astype(dtype)
        yield exact("Unique", f"dtype_{dtype}", (x,), _loop(x))
