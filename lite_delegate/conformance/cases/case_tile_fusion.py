"""Conformance cases of TileFusion, expected values by a direct loop over every output element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def _loop(x: Array, repeats: tuple[int, ...]) -> Array:
    out = np.empty([d * r for d, r in zip(x.shape, repeats, strict=True)], dtype=x.dtype)
    for index in np.ndindex(*out.shape):
        out[index] = x[tuple(p % d for p, d in zip(index, x.shape, strict=True))]
    return out


def cases() -> Iterator[ConformanceCase]:
    """Multiples of 0, 1 and more, fewer multiples than dimensions, the dims attribute, every dtype."""
    rng = np.random.default_rng(160)
    for name, shape, multiples, dims, repeats in [
        ("rank_1", (3,), (2,), None, (2,)),
        ("rank_2_rows", (2, 3), (2, 1), None, (2, 1)),
        ("rank_2_columns", (2, 3), (1, 3), None, (1, 3)),
        ("rank_2_both", (2, 3), (2, 2), None, (2, 2)),
        ("rank_4", (1, 2, 1, 3), (2, 1, 3, 2), None, (2, 1, 3, 2)),
        ("all_ones", (2, 3), (1, 1), None, (1, 1)),
        ("multiple_of_zero", (2, 3), (1, 0), None, (1, 0)),
        ("empty_array", (0, 3), (2, 2), None, (2, 2)),
        ("scalar", (), (), None, ()),
        ("fewer_multiples_repeat_the_first_axes", (2, 3, 2), (3,), None, (3, 1, 1)),
        ("empty_dims", (2, 3), (2, 2), (), (2, 2)),
        ("dims_one_axis", (2, 3), (3,), (1,), (1, 3)),
        ("dims_axis_0", (2, 3), (3,), (0,), (3, 1)),
        ("dims_negative", (2, 3, 2), (3,), (-1,), (1, 1, 3)),
        ("dims_unordered", (2, 1, 2), (3, 2), (2, 0), (2, 1, 3)),
    ]:
        x = rng.normal(size=shape).astype(np.float32)
        inputs = (x, np.array(multiples, dtype=np.int32))
        yield ConformanceCase(
            name,
            "TileFusion",
            inputs,
            (_loop(x, repeats),),
            {"dims": dims},
            constants=frozenset({1}),
        )
    x = rng.normal(size=(2, 3)).astype(np.float32)
    inputs = (x, np.array([2, 3], dtype=np.int32))
    yield ConformanceCase("multiples_not_constant", "TileFusion", inputs, (_loop(x, (2, 3)),))
    for dtype in ("bool", "int8", "int32", "int64", "uint8", "float16", "float64"):
        x = rng.integers(0, 2 if dtype == "bool" else 100, size=(2, 2)).astype(dtype)
        inputs = (x, np.array([1, 2], dtype=np.int32))
        yield ConformanceCase(f"dtype_{dtype}", "TileFusion", inputs, (_loop(x, (1, 2)),), constants=frozenset({1}))
