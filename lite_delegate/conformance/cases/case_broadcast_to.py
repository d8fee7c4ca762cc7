"""Conformance cases of BroadcastTo, expected values by a direct loop over every output element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def _loop(x: Array, shape: tuple[int, ...]) -> Array:
    out = np.empty(shape, dtype=x.dtype)
    for index in np.ndindex(*shape):
        aligned = index[len(shape) - x.ndim :]
        out[index] = x[tuple(0 if d == 1 else p for p, d in zip(aligned, x.shape, strict=True))]
    return out


def cases() -> Iterator[ConformanceCase]:
    """Targets as attribute and as input, -1, added dimensions, empty arrays, every dtype of both inputs."""
    rng = np.random.default_rng(27)
    for name, given, shape in [
        ("last_dimension", (2, 1), (2, 3)),
        ("first_dimension", (1, 3), (2, 3)),
        ("both_dimensions", (1, 1), (2, 3)),
        ("added_dimensions", (3,), (2, 4, 3)),
        ("scalar", (), (2, 2)),
        ("scalar_to_scalar", (), ()),
        ("same_shape", (2, 3), (2, 3)),
        ("rank_4_bias", (1, 1, 1, 7), (2, 3, 2, 7)),
        ("rank_4_inner", (2, 1, 3, 1), (2, 2, 3, 2)),
        ("to_empty", (1, 3), (0, 3)),
        ("empty", (0, 1), (0, 4)),
        ("to_one", (1,), (1, 1)),
    ]:
        x = rng.normal(size=given).astype(np.float32)
        expected = (_loop(x, shape),)
        yield ConformanceCase(f"attribute_{name}", "BroadcastTo", (x,), expected, {"shape": shape})
        inputs = (x, np.array(shape, dtype=np.int32))
        yield ConformanceCase(f"input_{name}", "BroadcastTo", inputs, expected, constants=frozenset({1}))
    x = rng.normal(size=(2, 1)).astype(np.float32)
    targets: list[tuple[str, Array, tuple[int, ...]]] = [
        ("minus_one_keeps", np.array([-1, 3], dtype=np.int32), (2, 3)),
        ("minus_one_keeps_one", np.array([2, -1], dtype=np.int32), (2, 1)),
        ("minus_one_after_added", np.array([4, -1, -1], dtype=np.int32), (4, 2, 1)),
        ("target_as_int8", np.array([2, 3], dtype=np.int8), (2, 3)),
        ("target_as_int64", np.array([-1, 3], dtype=np.int64), (2, 3)),
        ("target_as_uint32", np.array([2, 3], dtype=np.uint32), (2, 3)),
        ("target_as_float32", np.array([-1.0, 3.0], dtype=np.float32), (2, 3)),
    ]
    for name, target, shape in targets:
        yield ConformanceCase(name, "BroadcastTo", (x, target), (_loop(x, shape),), constants=frozenset({1}))
    inputs = (x, np.array([3, 2, 2], dtype=np.int32))
    expected = (_loop(x, (3, 2, 2)),)
    yield ConformanceCase("target_not_constant", "BroadcastTo", inputs, expected)
    for dtype in ("bool", "int8", "int32", "int64", "uint8", "float16", "float64"):
        x = rng.integers(0, 2 if dtype == "bool" else 100, size=(3, 1)).astype(dtype)
        expected = (_loop(x, (3, 2)),)
        yield ConformanceCase(f"dtype_{dtype}", "BroadcastTo", (x,), expected, {"shape": (3, 2)})
