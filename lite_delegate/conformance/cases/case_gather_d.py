"""Conformance cases of GatherD, expected values by a direct loop over every element of the index."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import OTHER_DTYPES, exact, ints, sample


def _loop(x: Array, axis: int, index: Array) -> Array:
    out = np.empty(index.shape, dtype=x.dtype)
    for place in np.ndindex(*index.shape):
        out[place] = x[(*place[:axis], int(index[place]), *place[axis + 1 :])]
    return out


def cases() -> Iterator[ConformanceCase]:
    """Every axis from either end, an index longer and shorter than the input, negative indices, empty, every dtype."""
    rng = np.random.default_rng(210)
    for name, shape, index_shape, axis in [
        ("rank_1", (5,), (3,), 0),
        ("rank_1_longer_index", (2,), (7,), 0),
        ("rank_2_axis_0", (3, 7), (2, 7), 0),
        ("rank_2_last", (3, 7), (3, 2), -1),
        ("rank_3_middle", (2, 5, 3), (2, 9, 3), 1),
        ("rank_3_negative_middle", (2, 5, 3), (2, 1, 3), -2),
        ("rank_4_channels_16", (1, 2, 2, 16), (1, 2, 2, 4), 3),
        ("rank_5", (2, 1, 2, 3, 2), (2, 1, 2, 3, 2), 3),
        ("index_shorter_on_other_axes", (4, 3, 5), (2, 3, 4), 1),
        ("one_element", (1, 1), (1, 1), 0),
        ("no_indices", (4, 2), (0, 2), 0),
        ("empty_other_axis", (4, 0), (3, 0), 0),
    ]:
        x = sample(rng, shape)
        index = rng.integers(0, shape[axis], size=index_shape).astype(np.int32)
        expected = _loop(x, axis % len(shape), index)
        yield exact("GatherD", name, (x, ints(axis), index), (expected,), constants={1})
    x = sample(rng, (3, 4))
    negative = np.array([[-1, 0], [-4, 3], [2, -2]], dtype=np.int32)
    scalar = np.array(1, dtype=np.int64)
    yield exact("GatherD", "negative_indices", (x, scalar, negative), (_loop(x, 1, negative),), constants={1})
    wide = negative.astype(np.int64)
    yield exact("GatherD", "int64_constant_index", (x, ints(1), wide), (_loop(x, 1, wide),), constants={1, 2})
    yield exact("GatherD", "dim_not_constant", (x, ints(1), negative), (_loop(x, 1, negative),))
    for dtype in OTHER_DTYPES:
        x = sample(rng, (3, 2), dtype)
        index = np.array([[1], [0], [1]], dtype=np.int32)
        yield exact("GatherD", f"dtype_{dtype}", (x, ints(-1), index), (_loop(x, 1, index),), constants={1})
