"""Conformance cases of SparseSegmentSum, expected values by adding one element after another."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.scalars import store
from .samples import exact, ints, sample


def _loop(x: Array, indices: Array, ids: Array) -> Array:
    rows = max(ids.tolist(), default=-1) + 1
    out = np.empty((rows, *x.shape[1:]), dtype=x.dtype)
    for place in np.ndindex(*out.shape):
        picked = [x[(int(i), *place[1:])].item() for i, s in zip(indices, ids, strict=True) if s == place[0]]
        out[place] = store(sum(picked), x.dtype)
    return out


def cases() -> Iterator[ConformanceCase]:
    """Segments of one and several rows, repeated and unused rows, missing ids, empty arrays, every number dtype."""
    rng = np.random.default_rng(216)
    for name, shape, indices, ids in [
        ("rows", (4, 3), [0, 2, 3], [0, 0, 1]),
        ("rank_1", (5,), [4, 4, 0, 1], [0, 1, 1, 1]),
        ("repeated_rows", (3, 2), [1, 1, 1], [0, 0, 0]),
        ("rows_out_of_order", (4, 3), [3, 0, 2, 1], [0, 0, 1, 2]),
        ("missing_ids_give_zeros", (3, 2), [0, 2, 1], [0, 3, 3]),
        ("first_id_missing", (3, 2), [0, 1], [1, 2]),
        ("rank_3", (3, 2, 4), [2, 0], [0, 0]),
        ("rank_4_channels_17", (3, 2, 1, 17), [2, 0, 1], [0, 1, 1]),
        ("rank_5", (2, 1, 2, 1, 3), [1, 0], [0, 1]),
        ("one_row", (1, 3), [0], [0]),
        ("no_indices", (3, 2), [], []),
        ("empty_rows", (3, 0), [1, 2], [0, 1]),
    ]:
        x, picked, segments = sample(rng, shape), ints(*indices), ints(*ids)
        yield from _both(name, x, picked, segments, 1e-5)
    x, picked, segments = sample(rng, (4, 2)), ints(3, 0, 3, dtype="int64"), ints(0, 1, 1, dtype="int64")
    expected = (_loop(x, picked, segments),)
    yield ConformanceCase("int64_constants", "SparseSegmentSum", (x, picked, segments), expected, {}, frozenset({1, 2}))
    half: Array = np.array([[2048], [1], [1]], dtype=np.float16)
    total = np.array([[2050]], dtype=np.float16)
    rows = (half, ints(0, 1, 2), ints(0, 0, 0))
    yield exact("SparseSegmentSum", "float16_is_summed_in_float32", rows, (total,), source="hand")
    special = np.array([np.inf, np.nan, -np.inf, 2.0], dtype=np.float32)
    sums = np.array([np.nan, np.nan, 2.0], dtype=np.float32)
    every = (special, ints(0, 2, 1, 3), ints(0, 0, 1, 2))
    yield exact("SparseSegmentSum", "special_values", every, (sums,), source="hand")
    for dtype in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        x = sample(rng, (4, 3), dtype)
        picked, segments = ints(1, 3, 0, 1), ints(0, 0, 0, 2)
        yield from _both(f"dtype_{dtype}_wraps", x, picked, segments, 0.0)
    yield from _both("dtype_float64", sample(rng, (4, 3), "float64"), picked, segments, 1e-12)


def _both(name: str, x: Array, picked: Array, segments: Array, tolerance: float) -> Iterator[ConformanceCase]:
    """With ids that are computed, and with known ones, which say how many segments there are."""
    inputs, expected = (x, picked, segments), (_loop(x, picked, segments),)
    for more, constants in (("", frozenset[int]()), ("_known_ids", frozenset({2}))):
        yield ConformanceCase(
            name + more, "SparseSegmentSum", inputs, expected, {}, constants, tolerance, min(tolerance, 1e-6)
        )
