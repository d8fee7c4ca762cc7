"""Conformance cases of SparseToDense, expected values by writing one element after another."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import OTHER_DTYPES, exact, ints, sample


def _loop(indices: Array, shape: tuple[int, ...], values: Array, default: float) -> Array:
    out = np.empty(shape, dtype=values.dtype)
    for place in np.ndindex(*shape):
        out[place] = default
    coordinates = indices.reshape(-1, len(shape)).tolist()
    for i, coordinate in enumerate(coordinates):
        out[tuple(coordinate)] = values.ravel()[i if values.size > 1 else 0]
    return out


def cases() -> Iterator[ConformanceCase]:
    """Indices of rank 0 to 2, one value and many, with and without default, repeated and missing ones, every dtype."""
    rng = np.random.default_rng(144)
    default = np.array(-1.5, dtype=np.float32)
    for name, indices, shape in [
        ("rank_1_vector", [1, 3, 0], (5,)),
        ("rank_1_scalar", 2, (4,)),
        ("rank_1_coordinates", [[1], [3]], (4,)),
        ("rank_2", [[0, 1], [2, 3], [1, 0]], (3, 4)),
        ("rank_3", [[0, 1, 2], [1, 0, 0]], (2, 2, 3)),
        ("rank_4_channels_17", [[0, 1, 0, 16], [0, 0, 1, 3]], (1, 2, 2, 17)),
        ("rank_5", [[1, 0, 1, 0, 2], [0, 0, 0, 0, 0]], (2, 1, 2, 1, 3)),
        ("one_coordinate", [[1, 1]], (2, 2)),
        ("last_of_repeated_wins", [[1, 1], [0, 0], [1, 1]], (2, 2)),
    ]:
        where = np.array(indices, dtype=np.int32)
        count = where.shape[0] if where.ndim else 1
        for form, values in [("many", sample(rng, (count,))), ("one", sample(rng, ()))]:
            inputs = (where, ints(*shape), values, default)
            expected = (_loop(where, shape, values, -1.5),)
            yield exact("SparseToDense", f"{name}_{form}_values", inputs, expected, constants={1})
    where, values = np.array([[0, 1], [1, 0]], dtype=np.int64), sample(rng, (2,))
    expected = (_loop(where, (2, 3), values, 0),)
    wide = ints(2, 3, dtype="int64")
    yield exact("SparseToDense", "absent_default_is_0", (where, wide, values), expected, constants={0, 1})
    zero = np.array([0], dtype=np.float32)
    yield exact("SparseToDense", "shape_not_constant", (where, wide, values, zero), expected)
    nothing = np.zeros((0, 2), dtype=np.int32)
    none = np.zeros(0, dtype=np.float32)
    filled = np.full((2, 2), -1.5, dtype=np.float32)
    inputs = (nothing, ints(2, 2), none, default)
    yield exact("SparseToDense", "no_coordinates", inputs, (filled,), constants={1}, source="hand")
    empty = np.zeros((0, 2), dtype=np.float32)
    inputs = (nothing, ints(0, 2), none, default)
    yield exact("SparseToDense", "empty_output", inputs, (empty,), constants={1}, source="hand")
    for dtype in OTHER_DTYPES:
        values, fill = sample(rng, (2,), dtype), sample(rng, (), dtype)
        inputs = (where, ints(2, 3), values, fill)
        yield exact("SparseToDense", f"dtype_{dtype}", inputs, (_loop(where, (2, 3), values, fill.item()),), {}, {1})
