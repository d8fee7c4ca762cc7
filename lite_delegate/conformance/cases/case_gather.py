"""Conformance cases of Gather, expected values by a direct loop over every output element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def _loop(x: Array, indices: Array, axis: int) -> Array:
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    out = np.empty(before + indices.shape + after, dtype=x.dtype)
    for outer in np.ndindex(*before):
        for place in np.ndindex(*indices.shape):
            for inner in np.ndindex(*after):
                out[outer + place + inner] = x[(*outer, int(indices[place]), *inner)]
    return out


def cases() -> Iterator[ConformanceCase]:
    """Every axis from either end, index ranks 0 to 3, negative and repeated indices, empty arrays, every dtype."""
    rng = np.random.default_rng(69)
    for name, shape, index_shape, axis in [
        ("rank_1", (5,), (3,), 0),
        ("rank_1_scalar_index", (5,), (), 0),
        ("embedding", (17, 8), (2, 3), 0),
        ("rank_2_last", (3, 7), (4,), 1),
        ("rank_3_middle", (2, 5, 3), (2,), 1),
        ("rank_3_negative_axis", (2, 5, 3), (2, 2), -2),
        ("rank_3_scalar_index_drops_the_axis", (2, 5, 3), (), 1),
        ("rank_4_channels", (1, 2, 2, 16), (3,), -1),
        ("index_rank_3", (4, 2), (2, 1, 3), 0),
        ("no_indices", (4, 2), (0,), 0),
        ("empty_other_dimension", (4, 0), (3,), 0),
    ]:
        x = rng.normal(size=shape).astype(np.float32)
        dim = shape[axis]
        indices = rng.integers(0, dim, size=index_shape).astype(np.int32)
        inputs = (x, indices, np.array(axis, dtype=np.int32))
        expected = (_loop(x, indices, axis % len(shape)),)
        yield ConformanceCase(name, "Gather", inputs, expected, constants=frozenset({2}))
    x = rng.normal(size=(3, 4)).astype(np.float32)
    forms: list[tuple[str, Array, frozenset[int]]] = [
        ("negative_indices", np.array([-1, 0, -4], dtype=np.int32), frozenset({2})),
        ("repeated_indices", np.array([2, 2, 0, 2], dtype=np.int32), frozenset({2})),
        ("int64_indices", np.array([3, -2], dtype=np.int64), frozenset({2})),
        ("constant_indices", np.array([1, 3], dtype=np.int32), frozenset({1, 2})),
        ("axis_not_constant", np.array([1, 3], dtype=np.int32), frozenset[int]()),
    ]
    for name, indices, constants in forms:
        inputs = (x, indices, np.array([1], dtype=np.int32))
        yield ConformanceCase(name, "Gather", inputs, (_loop(x, indices, 1),), constants=constants)
    indices = np.array([1, 0], dtype=np.int32)
    for dtype in ("bool", "int8", "int32", "int64", "uint8", "float16", "float64"):
        x = rng.integers(0, 2 if dtype == "bool" else 100, size=(3, 2)).astype(dtype)
        inputs = (x, indices, np.array(0, dtype=np.int32))
        yield ConformanceCase(f"dtype_{dtype}", "Gather", inputs, (_loop(x, indices, 0),), constants=frozenset({2}))
