"""Conformance cases of TensorScatterAdd, expected values by a direct loop over every update."""

from __future__ import annotations

import operator
from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.coordinates import SCATTERS, distinct_coordinates, scatter_forms, scatter_loop
from .samples import exact, sample


def _loop(x: Array, indices: Array, updates: Array) -> Array:
    return scatter_loop(x, indices, updates, operator.add)


def cases() -> Iterator[ConformanceCase]:
    """Coordinates of no, some and all dimensions, repeated and negative ones, empty arrays, every number dtype."""
    rng = np.random.default_rng(213)
    for name, shape, index_shape, length in SCATTERS:
        x, updates = sample(rng, shape), sample(rng, index_shape + shape[length:])
        indices = distinct_coordinates(rng, index_shape, shape[:length])
        yield exact("TensorScatterAdd", name, (x, indices, updates), (_loop(x, indices, updates),))
    for name, indices in scatter_forms():
        x, updates = sample(rng, (4, 3)), sample(rng, (len(indices), 3))
        expected = (_loop(x, indices, updates),)
        yield ConformanceCase(name, "TensorScatterAdd", (x, indices, updates), expected)
    x = np.array([np.inf, 1.0, np.nan], dtype=np.float32)
    updates = np.array([-np.inf, np.nan, 1.0], dtype=np.float32)
    indices = np.array([[0], [1], [2]], dtype=np.int32)
    special = np.full(3, np.nan, dtype=np.float32)
    yield exact("TensorScatterAdd", "special_values", (x, indices, updates), (special,), source="hand")
    half, ones = np.array([2048, 5], dtype=np.float16), np.ones(2, dtype=np.float16)
    twice = np.zeros((2, 1), dtype=np.int32)
    expected_half = np.array([2050, 5], dtype=np.float16)
    inputs = (half, twice, ones)
    yield exact("TensorScatterAdd", "float16_is_summed_in_float32", inputs, (expected_half,), source="hand")
    for dtype in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float64"):
        places = np.array([[1], [0], [1]] if dtype[0] != "f" else [[1], [0], [2]], dtype=np.int32)
        inputs = (sample(rng, (3, 2), dtype), places, sample(rng, (3, 2), dtype))
        yield exact("TensorScatterAdd", f"dtype_{dtype}", inputs, (_loop(*inputs),), constants={1})
