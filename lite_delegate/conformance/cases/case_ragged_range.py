"""Conformance cases of RaggedRange, expected values by counting row by row in Python's own numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import exact


def _loop(starts: Sequence[float], limits: Sequence[float], deltas: Sequence[float], dtype: str) -> tuple[Array, Array]:
    """All rows; exact for the numbers used here."""
    values: list[float] = []
    splits = [0]
    for start, limit, delta in zip(starts, limits, deltas, strict=True):
        for i in itertools.count():
            number = start + i * delta
            if number >= limit if delta > 0 else number <= limit:
                break
            values.append(number)
        splits.append(len(values))
    return np.array(splits, dtype=np.int32), np.array(values, dtype=dtype)


def cases() -> Iterator[ConformanceCase]:
    """Vectors and scalars in every place, empty rows, counting down, limits met and passed, every dtype."""
    for name, starts, limits, deltas in [
        ("three_vectors", [2, 5, 8], [3, 5, 12], [1, 1, 1]),
        ("steps", [0, 1, -3], [5, 9, 4], [2, 3, 7]),
        ("down", [5, 0, 3], [0, -4, 3], [-2, -1, -1]),
        ("up_and_down", [0, 5], [3, 2], [1, -1]),
        ("all_rows_empty", [3, 4], [3, 0], [1, 1]),
        ("one_row", [0], [4], [1]),
        ("no_rows", [], [], []),
        ("long_rows", [0, 100], [50, 140], [1, 1]),
    ]:
        inputs = tuple(np.array(v, dtype=np.int32) for v in (starts, limits, deltas))
        yield exact("RaggedRange", name, inputs, _loop(starts, limits, deltas, "int32"))
    for name, scalars in [
        ("scalar_start", {0}),
        ("scalar_limit", {1}),
        ("scalar_delta", {2}),
        ("scalar_start_and_delta", {0, 2}),
        ("three_scalars", {0, 1, 2}),
    ]:
        rows = 1 if len(scalars) == 3 else 3
        bounds = [[1] * 3, [6] * 3, [2] * 3]
        for i in {0, 1, 2} - scalars:
            bounds[i] = [[0, 1, 5], [4, 9, 3], [1, 2, 5]][i]
        inputs = tuple(np.array(b[0] if i in scalars else b, dtype=np.int32) for i, b in enumerate(bounds))
        starts, limits, deltas = (b[:rows] for b in bounds)
        yield exact("RaggedRange", name, inputs, _loop(starts, limits, deltas, "int32"), constants={2})
    fractions = ([0.0, 1.5, 2.0], [1.0, 0.0, 2.0], [0.25, -0.5, 0.5])
    for dtype in ("float32", "float16", "float64"):
        inputs = tuple(np.array(v, dtype=dtype) for v in fractions)
        yield exact("RaggedRange", f"dtype_{dtype}", inputs, _loop(*fractions, dtype))
    for dtype in ("int8", "int16", "int64", "uint8", "uint16", "uint32", "uint64"):
        whole = ([0, 100], [3, 110], [1, 4])
        inputs = tuple(np.array(v, dtype=dtype) for v in whole)
        yield exact("RaggedRange", f"dtype_{dtype}", inputs, _loop(*whole, dtype), constants={0, 1, 2})
    tenths = tuple(np.array([v], dtype=np.float32) for v in (0.0, 0.3, 0.1))
    outputs = (np.array([0, 3], dtype=np.int32), np.array([0.0, 0.1, 0.2], dtype=np.float32))
    yield exact("RaggedRange", "length_is_rounded_in_float32", tenths, outputs, source="hand")
