"""Conformance cases of ScatterNd, expected values by a direct loop over every update."""

from __future__ import annotations

import operator
from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.coordinates import SCATTERS, distinct_coordinates, scatter_forms, scatter_loop
from .samples import exact, ints, sample


def _loop(shape: tuple[int, ...], indices: Array, updates: Array) -> Array:
    combine = operator.or_ if updates.dtype == np.bool_ else operator.add
    return scatter_loop(np.zeros(shape, dtype=updates.dtype), indices, updates, combine)


def cases() -> Iterator[ConformanceCase]:
    """Coordinates of no, some and all dimensions, repeated and negative ones, empty arrays, every dtype."""
    rng = np.random.default_rng(128)
    for name, shape, index_shape, length in SCATTERS:
        indices = distinct_coordinates(rng, index_shape, shape[:length])
        updates = sample(rng, index_shape + shape[length:])
        inputs = (ints(*shape), indices, updates)
        yield exact("ScatterNd", name, inputs, (_loop(shape, indices, updates),), constants={0})
    for name, indices in scatter_forms():
        updates = sample(rng, (len(indices), 3), "int32")
        inputs = (ints(4, 3), indices, updates)
        yield exact("ScatterNd", name, inputs, (_loop((4, 3), indices, updates),), constants={0})
    updates = np.array([0.1, 2.0, 0.2, 0.4], dtype=np.float32)
    indices = np.array([[1], [0], [1], [1]], dtype=np.int32)
    summed = np.array([2.0, 0.7, 0.0], dtype=np.float32)
    yield ConformanceCase(
        "repeated_floats_are_summed", "ScatterNd", (ints(3), indices, updates), (summed,), source="hand"
    )
    half = np.array([2048, 1, 1], dtype=np.float16)
    inputs = (ints(1), np.zeros((3, 1), dtype=np.int32), half)
    expected = np.array([2050], dtype=np.float16)
    yield exact("ScatterNd", "float16_is_summed_in_float32", inputs, (expected,), constants={0}, source="hand")
    updates = sample(rng, (4,))
    yield exact("ScatterNd", "shape_not_constant", (ints(5), indices, updates), (_loop((5,), indices, updates),))
    for dtype in ("bool", "int8", "uint8", "int16", "int64", "uint64", "float16", "float64"):
        updates = sample(rng, (4, 2), dtype)
        places = np.array([[2], [0], [3], [1 if dtype[0] == "f" else 2]], dtype=np.int32)
        inputs = (ints(5, 2, dtype="int64"), places, updates)
        yield exact("ScatterNd", f"dtype_{dtype}", inputs, (_loop((5, 2), places, updates),), constants={0, 1})
