"""Conformance cases of OneHot, expected values by a direct loop over every element of the output."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import OTHER_DTYPES, exact, ints


def _loop(indices: Array, depth: int, on: Array, off: Array, axis: int, *, negative: bool) -> Array:
    a = axis % (indices.ndim + 1)
    out = np.empty((*indices.shape[:a], depth, *indices.shape[a:]), dtype=on.dtype)
    for place in np.ndindex(*out.shape):
        index = int(indices[place[:a] + place[a + 1 :]])
        wanted = index + depth if negative and index < 0 else index
        out[place] = (on if wanted == place[a] else off).item()
    return out


def cases() -> Iterator[ConformanceCase]:
    """Both forms, every axis from either end, indices out of range, depth 0 and 1, index and value dtypes."""
    rng = np.random.default_rng(105)
    on, off = np.array(1.5, dtype=np.float32), np.array(-0.5, dtype=np.float32)
    pair = np.array([-0.5, 1.5], dtype=np.float32)
    for name, shape, depth, axis in [
        ("rank_0", (), 4, -1),
        ("rank_1_last", (5,), 7, -1),
        ("rank_1_axis_0", (5,), 3, 0),
        ("rank_2_middle", (2, 3), 4, 1),
        ("rank_2_negative_middle", (2, 3), 4, -2),
        ("rank_3_first_from_the_end", (2, 1, 3), 2, -4),
        ("rank_4_channels_17", (1, 2, 2, 2), 17, -1),
        ("depth_1", (3,), 1, -1),
        ("depth_0", (3,), 0, -1),
        ("no_indices", (0,), 4, -1),
    ]:
        indices = rng.integers(-depth - 1, depth + 2, size=shape).astype(np.int32)
        attributes = {"axis": axis}
        expected = _loop(indices, depth, on, off, axis, negative=False)
        yield exact("OneHot", name, (indices, ints(depth), on, off), (expected,), attributes, {1, 2, 3})
        expected = _loop(indices, depth, on, off, axis, negative=True)
        yield exact("OneHot", f"{name}_pair", (indices, ints(depth), pair), (expected,), attributes, {1, 2})
    every = ints(-4, -3, -1, 0, 2, 3)
    scalar = np.array(3, dtype=np.int64)
    expected = _loop(every, 3, on, off, 0, negative=False)
    yield exact("OneHot", "default_axis_is_0", (every, scalar, on, off), (expected,), constants={1, 2, 3})
    yield exact("OneHot", "nothing_constant", (every, scalar, on, off), (expected,))
    whole = np.array(3.0, dtype=np.float32)
    expected = _loop(every, 3, on, off, 0, negative=True)
    yield exact("OneHot", "float_depth_pair", (every, whole, pair), (expected,), constants={1, 2})
    for dtype in ("int8", "int16", "int64", "uint8", "uint16", "uint32"):
        indices = np.array([0, 2, 120], dtype=dtype)
        expected = _loop(indices, 300, on, off, -1, negative=False)
        inputs = (indices, ints(300), on, off)
        yield exact("OneHot", f"indices_{dtype}", inputs, (expected,), {"axis": -1}, {1, 2, 3})
    for dtype in OTHER_DTYPES:
        one, zero = np.array([1], dtype=dtype), np.array([0], dtype=dtype)
        expected = _loop(every, 3, one, zero, -1, negative=False)
        inputs = (every, ints(3), one, zero)
        yield exact("OneHot", f"dtype_{dtype}", inputs, (expected,), {"axis": -1}, {1, 2, 3})
