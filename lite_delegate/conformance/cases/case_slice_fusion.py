"""Conformance cases of SliceFusion, expected values by a direct loop over every output element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def _loop(x: Array, begin: tuple[int, ...], shape: tuple[int, ...]) -> Array:
    out = np.empty(shape, dtype=x.dtype)
    for index in np.ndindex(*shape):
        out[index] = x[tuple(b + p for b, p in zip(begin, index, strict=True))]
    return out


def cases() -> Iterator[ConformanceCase]:
    """Sizes and -1, the axes attribute, empty and whole slices, inputs known only at run time, every dtype."""
    rng = np.random.default_rng(135)
    for name, given, begin, size, axes, at, shape in [
        ("rank_1", (7,), (2,), (3,), None, (2,), (3,)),
        ("rank_2", (4, 5), (1, 2), (2, 3), None, (1, 2), (2, 3)),
        ("rank_4", (2, 5, 4, 8), (0, 1, 2, 3), (2, 3, 1, 4), None, (0, 1, 2, 3), (2, 3, 1, 4)),
        ("to_the_end", (4, 5), (1, 2), (-1, -1), None, (1, 2), (3, 3)),
        ("whole", (2, 3), (0, 0), (-1, 3), None, (0, 0), (2, 3)),
        ("size_zero", (2, 3), (1, 0), (0, 3), None, (1, 0), (0, 3)),
        ("begin_at_the_end", (2, 3), (2, 0), (-1, 3), None, (2, 0), (0, 3)),
        ("one_element", (2, 3), (1, 2), (1, 1), None, (1, 2), (1, 1)),
        ("scalar", (), (), (), None, (), ()),
        ("empty_array", (0, 3), (0, 1), (-1, 2), None, (0, 1), (0, 2)),
        ("axes_in_order", (4, 5), (1, 2), (2, 3), (0, 1), (1, 2), (2, 3)),
        ("axes_swapped", (4, 5), (2, 1), (3, 2), (1, 0), (1, 2), (2, 3)),
        ("axes_rotated", (3, 4, 5), (4, 0, 1), (1, 2, 3), (2, 0, 1), (0, 1, 4), (2, 3, 1)),
        ("axes_negative", (4, 5), (2, 1), (3, -1), (-1, -2), (1, 2), (3, 3)),
        ("axes_empty", (4, 5), (1, 2), (2, 3), (), (1, 2), (2, 3)),
    ]:
        x = rng.normal(size=given).astype(np.float32)
        inputs = (x, np.array(begin, dtype=np.int32), np.array(size, dtype=np.int32))
        yield ConformanceCase(
            name,
            "SliceFusion",
            inputs,
            (_loop(x, at, shape),),
            {"axes": axes},
            constants=frozenset({1, 2}),
        )
    x = rng.normal(size=(4, 5)).astype(np.float32)
    inputs = (x, np.array([1, 2], dtype=np.int32), np.array([2, -1], dtype=np.int32))
    expected = (_loop(x, (1, 2), (2, 3)),)
    for name, constants in [
        ("nothing_constant", frozenset[int]()),
        ("size_constant", frozenset({2})),
        ("begin_constant", frozenset({1})),
    ]:
        yield ConformanceCase(name, "SliceFusion", inputs, expected, constants=constants)
    for dtype in ("bool", "int8", "int32", "int64", "uint8", "float16", "float64"):
        y = rng.integers(0, 2 if dtype == "bool" else 100, size=(3, 4)).astype(dtype)
        expected = (_loop(y, (1, 2), (2, 2)),)
        yield ConformanceCase(f"dtype_{dtype}", "SliceFusion", (y, *inputs[1:]), expected, constants=frozenset({1, 2}))
