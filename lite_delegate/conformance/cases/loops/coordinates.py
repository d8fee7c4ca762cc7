"""Updates written at coordinates, one element at a time: what case files of the scatter operators share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from ...judging.case import Array
from .scalars import store

Update = Callable[[float, float], float]

SCATTERS: list[tuple[str, tuple[int, ...], tuple[int, ...], int]] = [
    ("elements_of_rank_1", (7,), (3,), 1),
    ("elements_of_rank_2", (3, 5), (4,), 2),
    ("rows", (5, 3), (2,), 1),
    ("one_coordinate", (3, 4, 2), (), 2),
    ("grid_of_coordinates", (4, 3, 8), (2, 2), 1),
    ("channels_17", (2, 3, 3, 17), (4,), 3),
    ("rank_5", (2, 1, 3, 2, 4), (3,), 4),
    ("no_dimension_addressed", (2, 3), (1,), 0),
    ("no_coordinates", (4, 2), (0,), 1),
    ("empty_rows", (4, 0), (3,), 1),
]
"""Name, shape that is written to, shape of the coordinates without their last dimension, their length."""


def scatter_loop(start: Array, indices: Array, updates: Array, combine: Update) -> Array:
    """``start`` with each element that a coordinate addresses replaced by ``combine(old, update)``, in order.

    float16 and float32 are kept in Python's floats until the end; integers wrap around.
    """
    values = {place: start[place].item() for place in np.ndindex(*start.shape)}
    length = indices.shape[-1]
    for place in np.ndindex(*indices.shape[:-1]):
        coordinate = tuple(int(i) % dim for i, dim in zip(indices[place], start.shape, strict=False))
        for inner in np.ndindex(*start.shape[length:]):
            values[coordinate + inner] = combine(values[coordinate + inner], updates[place + inner].item())
    out = np.empty_like(start)
    for place, value in values.items():
        out[place] = store(value, start.dtype)
    return out


def distinct_coordinates(rng: np.random.Generator, shape: tuple[int, ...], dims: tuple[int, ...]) -> Array:
    """Coordinates of ``dims`` in random order, none twice, as int32 ``(*shape, len(dims))``."""
    everywhere = np.array(list(np.ndindex(*dims)), dtype=np.int32).reshape(math.prod(dims), len(dims))
    count = math.prod(shape)
    return rng.permutation(everywhere)[:count].reshape(*shape, len(dims))


def scatter_forms() -> Iterator[tuple[str, Array]]:
    """Coordinates of rows of an array of 4 rows, as forms that differ in sign, repetition and dtype."""
    yield "negative_indices", np.array([[-1], [0], [-4 + 1]], dtype=np.int32)
    yield "repeated_indices", np.array([[2], [0], [2], [2]], dtype=np.int32)
    yield "int64_indices", np.array([[3], [1]], dtype=np.int64)
