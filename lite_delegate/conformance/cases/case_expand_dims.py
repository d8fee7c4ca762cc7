"""Conformance cases of ExpandDims, expected values by a direct loop over every element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def _loop(x: Array, place: int) -> Array:
    out = np.empty((*x.shape[:place], 1, *x.shape[place:]), dtype=x.dtype)
    for index in np.ndindex(*x.shape):
        out[(*index[:place], 0, *index[place:])] = x[index]
    return out


def cases() -> Iterator[ConformanceCase]:
    """Every place of ranks 0 to 4 from either end, axis as scalar and vector, every dtype."""
    rng = np.random.default_rng(56)
    for shape in [(), (3,), (2, 3), (2, 1, 3), (2, 3, 1, 2)]:
        x = rng.normal(size=shape).astype(np.float32)
        for axis in range(-len(shape) - 1, len(shape) + 1):
            name = f"rank_{len(shape)}_axis_{axis}".replace("-", "minus_")
            inputs = (x, np.array(axis, dtype=np.int32))
            expected = _loop(x, axis % (len(shape) + 1))
            yield ConformanceCase(name, "ExpandDims", inputs, (expected,), constants=frozenset({1}))
    x = rng.normal(size=(0, 3)).astype(np.float32)
    forms: list[tuple[str, Array, frozenset[int]]] = [
        ("empty_array_axis_as_vector", np.array([1], dtype=np.int32), frozenset({1})),
        ("axis_as_int64", np.array(-2, dtype=np.int64), frozenset({1})),
        ("axis_not_constant", np.array(1, dtype=np.int32), frozenset[int]()),
    ]
    for name, axis_input, constants in forms:
        yield ConformanceCase(name, "ExpandDims", (x, axis_input), (_loop(x, 1),), constants=constants)
    for dtype in ("bool", "int8", "int32", "int64", "uint8", "float16", "float64"):
        x = rng.integers(0, 2 if dtype == "bool" else 100, size=(2, 3)).astype(dtype)
        inputs = (x, np.array(0, dtype=np.int32))
        yield ConformanceCase(f"dtype_{dtype}", "ExpandDims", inputs, (_loop(x, 0),), constants=frozenset({1}))
