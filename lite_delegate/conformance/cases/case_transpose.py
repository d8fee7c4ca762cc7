"""Conformance cases of Transpose, expected values by a direct loop over every element."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from ..judging.case import Array, ConformanceCase


def _loop(x: Array, order: tuple[int, ...]) -> Array:
    out = np.empty([x.shape[a] for a in order], dtype=x.dtype)
    for index in np.ndindex(*x.shape):
        out[tuple(index[a] for a in order)] = x[index]
    return out


def _case(name: str, x: Array, perm: tuple[int, ...], order: tuple[int, ...]) -> ConformanceCase:
    inputs = (x, np.array(perm, dtype=np.int32))
    return ConformanceCase(name, "Transpose", inputs, (_loop(x, order),), constants=frozenset({1}))


def cases() -> Iterator[ConformanceCase]:
    """All orders of three dimensions, layouts, empty and odd-length perms, scalars, every dtype."""
    rng = np.random.default_rng(162)
    x = rng.normal(size=(2, 3, 4)).astype(np.float32)
    for order in permutations(range(3)):
        yield _case("rank_3_" + "".join(map(str, order)), x, order, order)
    for name, shape, perm, order in [
        ("nhwc_to_nchw", (2, 3, 5, 7), (0, 3, 1, 2), (0, 3, 1, 2)),
        ("nchw_to_nhwc", (2, 7, 3, 5), (0, 2, 3, 1), (0, 2, 3, 1)),
        ("rank_2", (3, 16), (1, 0), (1, 0)),
        ("rank_1", (5,), (0,), (0,)),
        ("rank_5", (2, 1, 3, 2, 2), (4, 2, 0, 3, 1), (4, 2, 0, 3, 1)),
        ("rank_6", (2, 1, 2, 1, 3, 2), (5, 0, 4, 1, 3, 2), (5, 0, 4, 1, 3, 2)),
        ("negative_values", (2, 3, 4), (-1, 0, -2), (2, 0, 1)),
        ("empty_perm_reverses", (2, 3, 4), (), (2, 1, 0)),
        ("scalar_empty_perm", (), (), ()),
        ("four_values_on_rank_3", (2, 3, 4), (0, 3, 1, 2), (0, 2, 1)),
        ("four_other_values_on_rank_3", (2, 3, 4), (0, 2, 3, 1), (0, 2, 1)),
        ("too_few_values_copy", (2, 3, 4), (1, 0), (0, 1, 2)),
        ("too_many_values_copy", (2, 3), (0, 2, 1), (0, 1)),
        ("empty_array", (2, 0, 3), (2, 0, 1), (2, 0, 1)),
    ]:
        yield _case(name, rng.normal(size=shape).astype(np.float32), perm, order)
    inputs = (x, np.array([1, 2, 0], dtype=np.int32))
    yield ConformanceCase("perm_not_constant", "Transpose", inputs, (_loop(x, (1, 2, 0)),))
    for dtype in ("bool", "int8", "int32", "int64", "uint8", "float16", "float64"):
        y = rng.integers(0, 2 if dtype == "bool" else 100, size=(2, 3)).astype(dtype)
        yield _case(f"dtype_{dtype}", y, (1, 0), (1, 0))
