"""Conformance cases of ScatterElements, expected values by a direct loop over every update."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import OTHER_DTYPES, exact, sample


def _loop(x: Array, indices: Array, updates: Array, axis: int) -> Array:
    out = x.copy()
    for place in np.ndindex(*indices.shape):
        out[(*place[:axis], int(indices[place]), *place[axis + 1 :])] = updates[place]
    return out


def cases() -> Iterator[ConformanceCase]:
    """Every axis from either end, fewer indices than elements on any axis, negative and repeated ones, every dtype."""
    rng = np.random.default_rng(217)
    for name, shape, index_shape, axis in [
        ("rank_1", (5,), (3,), 0),
        ("rank_2_axis_0", (4, 7), (2, 7), 0),
        ("rank_2_last", (3, 7), (3, 2), -1),
        ("rank_3_middle", (2, 5, 3), (2, 4, 3), 1),
        ("rank_3_negative_middle", (2, 5, 3), (1, 2, 3), -2),
        ("rank_4_channels_16", (1, 2, 2, 16), (1, 2, 1, 8), 3),
        ("rank_5", (2, 1, 2, 3, 2), (2, 1, 2, 2, 2), 3),
        ("indices_shorter_on_every_axis", (4, 5, 3), (2, 3, 1), 1),
        ("no_indices", (4, 2), (0, 2), 0),
        ("empty_other_axis", (4, 0), (3, 0), 0),
    ]:
        x, updates = sample(rng, shape), sample(rng, index_shape)
        indices = rng.integers(0, shape[axis], size=index_shape).astype(np.int32)
        expected = _loop(x, indices, updates, axis % len(shape))
        yield exact("ScatterElements", name, (x, indices, updates), (expected,), {"axis": axis})
    x, updates = sample(rng, (3, 4)), sample(rng, (3, 2))
    forms = [("negative_indices", [[-1, 0], [-4, 3], [2, -2]]), ("last_of_repeated_wins", [[1, 1], [0, 0], [3, -1]])]
    for name, values in forms:
        indices = np.array(values, dtype=np.int64)
        expected = _loop(x, indices, updates, 1)
        yield exact("ScatterElements", name, (x, indices, updates), (expected,), {"axis": 1})
    indices = np.array([[2, 0]], dtype=np.int32)
    inputs = (x, indices, sample(rng, (1, 2)))
    yield exact("ScatterElements", "default_axis_constant_indices", inputs, (_loop(*inputs, 0),), constants={1})
    for dtype in OTHER_DTYPES:
        inputs = (sample(rng, (3, 2), dtype), indices, sample(rng, (1, 2), dtype))
        yield exact("ScatterElements", f"dtype_{dtype}", inputs, (_loop(*inputs, 0),))
