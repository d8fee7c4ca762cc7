"""Conformance cases of ScatterNdUpdate, expected values by a direct loop over every update."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.coordinates import SCATTERS, distinct_coordinates, scatter_forms, scatter_loop
from .samples import OTHER_DTYPES, exact, sample


def _loop(x: Array, indices: Array, updates: Array) -> Array:
    return scatter_loop(x, indices, updates, lambda _, update: update)


def cases() -> Iterator[ConformanceCase]:
    """Coordinates of no, some and all dimensions, repeated and negative ones, empty arrays, every dtype."""
    rng = np.random.default_rng(171)
    for name, shape, index_shape, length in SCATTERS:
        x, updates = sample(rng, shape), sample(rng, index_shape + shape[length:])
        indices = distinct_coordinates(rng, index_shape, shape[:length])
        yield exact("ScatterNdUpdate", name, (x, indices, updates), (_loop(x, indices, updates),))
    for name, indices in scatter_forms():
        x, updates = sample(rng, (4, 3)), sample(rng, (len(indices), 3))
        yield exact("ScatterNdUpdate", name, (x, indices, updates), (_loop(x, indices, updates),))
    x, updates = sample(rng, (4,)), np.array([np.nan, -np.inf], dtype=np.float32)
    indices = np.array([[1], [3]], dtype=np.int32)
    inputs = (x, indices, updates)
    yield exact("ScatterNdUpdate", "special_values_constant_indices", inputs, (_loop(*inputs),), constants={1})
    for dtype in OTHER_DTYPES:
        inputs = (sample(rng, (4, 2), dtype), indices, sample(rng, (2, 2), dtype))
        yield exact("ScatterNdUpdate", f"dtype_{dtype}", inputs, (_loop(*inputs),))
