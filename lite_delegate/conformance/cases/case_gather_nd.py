"""Conformance cases of GatherNd, expected values by a direct loop over every coordinate."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import OTHER_DTYPES, exact, sample


def _loop(x: Array, indices: Array) -> Array:
    length = indices.shape[-1]
    out = np.empty(indices.shape[:-1] + x.shape[length:], dtype=x.dtype)
    for place in np.ndindex(*indices.shape[:-1]):
        coordinate = tuple(int(i) for i in indices[place])
        for inner in np.ndindex(*x.shape[length:]):
            out[place + inner] = x[coordinate + inner]
    return out


def _coordinates(rng: np.random.Generator, shape: tuple[int, ...], dims: tuple[int, ...]) -> Array:
    columns = [rng.integers(0, dim, size=shape) for dim in dims]
    return np.stack(columns, axis=-1).astype(np.int32) if columns else np.zeros((*shape, 0), dtype=np.int32)


def cases() -> Iterator[ConformanceCase]:
    """Coordinates of no, some and all dimensions, of every rank; negative and int64 ones; empty arrays; every dtype."""
    rng = np.random.default_rng(70)
    for name, shape, index_shape, length in [
        ("elements_of_rank_1", (5,), (3,), 1),
        ("elements_of_rank_2", (3, 7), (4,), 2),
        ("rows", (3, 7), (4,), 1),
        ("one_coordinate", (3, 4, 2), (), 2),
        ("one_coordinate_of_an_element", (3, 4, 2), (), 3),
        ("grid_of_coordinates", (3, 4, 8), (2, 3), 2),
        ("channels_17", (2, 3, 3, 17), (5,), 3),
        ("rank_5", (2, 1, 3, 2, 4), (2, 1), 4),
        ("no_dimension_addressed", (2, 3), (2,), 0),
        ("no_coordinates", (4, 2), (0,), 1),
        ("empty_rows", (4, 0), (3,), 1),
    ]:
        x = sample(rng, shape)
        indices = _coordinates(rng, index_shape, shape[:length])
        yield exact("GatherNd", name, (x, indices), (_loop(x, indices),))
    x = sample(rng, (3, 4))
    negative = np.array([[-1, 0], [2, -4], [-3, -1]], dtype=np.int32)
    yield exact("GatherNd", "negative_indices", (x, negative), (_loop(x, negative),))
    wide = np.array([[2, 3], [2, 3], [0, 0]], dtype=np.int64)
    yield exact("GatherNd", "repeated_int64_indices", (x, wide), (_loop(x, wide),))
    yield exact("GatherNd", "constant_indices", (x, wide), (_loop(x, wide),), constants={1})
    special = np.array([[np.nan, np.inf], [-np.inf, -0.0]], dtype=np.float32)
    indices = np.array([[1], [0]], dtype=np.int32)
    yield exact("GatherNd", "special_values", (special, indices), (special[::-1],), source="hand")
    for dtype in OTHER_DTYPES:
        x = sample(rng, (3, 2), dtype)
        yield exact("GatherNd", f"dtype_{dtype}", (x, indices), (_loop(x, indices),))
