"""Conformance cases of Shape, expected values written down."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase


def cases() -> Iterator[ConformanceCase]:
    """Ranks 0 to 6, empty dimensions, every kind of dtype (the output is int32 always)."""
    for name, shape in [
        ("scalar", ()),
        ("rank_1", (7,)),
        ("rank_1_empty", (0,)),
        ("rank_2", (1, 17)),
        ("rank_3_empty", (2, 0, 3)),
        ("rank_4", (2, 5, 3, 8)),
        ("rank_6", (1, 2, 1, 3, 1, 2)),
    ]:
        expected = np.array([*shape], dtype=np.int32)
        yield ConformanceCase(name, "Shape", (np.zeros(shape, np.float32),), (expected,), source="hand")
    for dtype in ("bool", "int8", "uint8", "int32", "int64", "float16", "float64"):
        expected = np.array([3, 2], dtype=np.int32)
        x = np.ones((3, 2), dtype)
        yield ConformanceCase(f"dtype_{dtype}", "Shape", (x,), (expected,), source="hand")
