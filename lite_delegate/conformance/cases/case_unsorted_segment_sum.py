"""Conformance cases of UnsortedSegmentSum, expected values by adding one element after another."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.scalars import store
from .samples import exact, ints, sample


def _loop(x: Array, ids: Array, count: int) -> Array:
    rest = x.shape[ids.ndim :]
    sums = dict.fromkeys(np.ndindex(count, *rest), 0.0 if x.dtype.kind == "f" else 0)
    for place in np.ndindex(*ids.shape):
        for inner in np.ndindex(*rest):
            if ids[place] >= 0:
                sums[(int(ids[place]), *inner)] += x[place + inner].item()
    out = np.empty((count, *rest), dtype=x.dtype)
    for place, total in sums.items():
        out[place] = store(total, x.dtype)
    return out


def cases() -> Iterator[ConformanceCase]:
    """Ids of one and several dimensions, out of order, negative, missing; empty arrays; every number dtype."""
    rng = np.random.default_rng(164)
    for name, shape, ids, count in [
        ("rank_1", (5,), [0, 2, 0, 1, 2], 3),
        ("rows", (4, 3), [1, 0, 1, 1], 2),
        ("segments_without_rows", (3, 2), [4, 1, 4], 6),
        ("negative_ids_are_left_out", (4, 3), [-1, 0, -7, 0], 2),
        ("ids_of_two_dimensions", (2, 3, 4), [[0, 1, 0], [2, 2, 1]], 3),
        ("ids_of_every_dimension", (2, 3), [[0, 1, 0], [2, 2, 1]], 3),
        ("one_id", (3, 2), 1, 2),
        ("rank_4_channels_17", (3, 2, 1, 17), [1, 1, 0], 2),
        ("rank_5", (2, 1, 2, 1, 3), [[1], [0]], 2),
        ("one_segment", (5, 2), [0, 0, 0, 0, 0], 1),
        ("no_segments", (2, 3), [-1, -1], 0),
        ("no_rows", (0, 3), [], 2),
        ("empty_rows", (3, 0), [0, 1, 0], 2),
    ]:
        segment_ids = np.array(ids, dtype=np.int32)
        x = sample(rng, shape)
        inputs = (x, segment_ids, np.array(count, dtype=np.int32))
        yield ConformanceCase(name, "UnsortedSegmentSum", inputs, (_loop(x, segment_ids, count),), {}, frozenset({2}))
    x, wide = sample(rng, (4, 2)), ints(1, 0, -1, 1, dtype="int64")
    expected = (_loop(x, wide, 3),)
    inputs = (x, wide, ints(3, dtype="int64"))
    yield ConformanceCase("int64_constant_ids", "UnsortedSegmentSum", inputs, expected, {}, frozenset({1, 2}))
    yield ConformanceCase("number_not_constant", "UnsortedSegmentSum", inputs, expected)
    special = np.array([np.inf, -np.inf, np.nan, 1.0], dtype=np.float32)
    sums = np.array([np.nan, np.nan, 1.0], dtype=np.float32)
    inputs = (special, ints(0, 0, 1, 2), ints(3))
    yield exact("UnsortedSegmentSum", "special_values", inputs, (sums,), constants={2}, source="hand")
    half = np.array([2048, 1, 1], dtype=np.float16)
    inputs = (half, ints(0, 0, 0), ints(1))
    total = np.array([2050], dtype=np.float16)
    yield exact("UnsortedSegmentSum", "float16_is_summed_in_float32", inputs, (total,), source="hand")
    segments = ints(1, 0, 1, -1)
    for dtype in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        x = sample(rng, (4, 3), dtype)
        wrapped = (_loop(x, segments, 2),)
        yield exact("UnsortedSegmentSum", f"dtype_{dtype}_wraps", (x, segments, ints(2)), wrapped, {}, {2})
    x = sample(rng, (4, 3), "float64")
    expected = (_loop(x, segments, 2),)
    constants = frozenset({2})
    yield ConformanceCase(
        "dtype_float64", "UnsortedSegmentSum", (x, segments, ints(2)), expected, {}, constants, rtol=1e-12
    )
