"""Cases of operators that fill a shape with a value: shapes, value dtypes, special values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...judging.case import Array
from ..samples import OTHER_DTYPES, ints, sample

SHAPES: list[tuple[str, tuple[int, ...]]] = [
    ("scalar", ()),
    ("rank_1", (5,)),
    ("rank_2", (3, 7)),
    ("rank_3", (2, 1, 3)),
    ("rank_4_channels_17", (1, 2, 2, 17)),
    ("rank_5", (2, 1, 2, 1, 3)),
    ("one_element", (1, 1)),
    ("empty", (2, 0, 3)),
]


def filling_cases(seed: int) -> Iterator[tuple[str, Array, Array, Array, bool]]:
    """Name, value, shape, what they give, and whether the shape is constant."""
    rng = np.random.default_rng(seed)
    for name, shape in SHAPES:
        value = sample(rng, ())
        yield name, value, ints(*shape), repeated(value, shape), True
    for dtype in OTHER_DTYPES:
        value = sample(rng, (1,), dtype)
        yield f"dtype_{dtype}", value, ints(2, 3), repeated(value, (2, 3)), True
    for name, number in [("nan", np.nan), ("infinity", -np.inf)]:
        value = np.array(number, dtype=np.float32)
        yield name, value, ints(3, dtype="int64"), repeated(value, (3,)), True
    value = np.array([[7]], dtype=np.int32)
    yield "shape_not_constant", value, ints(2, 2), repeated(value, (2, 2)), False


def repeated(value: Array, shape: tuple[int, ...]) -> Array:
    """``shape`` with every element set, one by one."""
    out = np.empty(shape, dtype=value.dtype)
    for place in np.ndindex(*shape):
        out[place] = value.item()
    return out
