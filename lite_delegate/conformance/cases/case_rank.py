"""Conformance cases of Rank, expected values written down."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase


def cases() -> Iterator[ConformanceCase]:
    """Ranks 0 to 6, empty dimensions, every kind of dtype (the output is int32 always), a constant."""
    for name, shape, count in [
        ("scalar", (), 0),
        ("rank_1", (7,), 1),
        ("rank_1_empty", (0,), 1),
        ("rank_2", (1, 17), 2),
        ("rank_3_empty", (2, 0, 3), 3),
        ("rank_4", (2, 5, 3, 8), 4),
        ("rank_6", (1, 2, 1, 3, 1, 2), 6),
    ]:
        expected = np.array(count, dtype=np.int32)
        yield ConformanceCase(name, "Rank", (np.zeros(shape, np.float32),), (expected,), source="hand")
    expected = np.array(2, dtype=np.int32)
    for dtype in ("bool", "int8", "uint8", "int32", "int64", "float16", "float64"):
        x = np.ones((3, 2), dtype)
        yield ConformanceCase(f"dtype_{dtype}", "Rank", (x,), (expected,), source="hand")
    x = np.ones((3, 2), dtype=np.float32)
    yield ConformanceCase("constant", "Rank", (x,), (expected,), {}, frozenset({0}), source="hand")
