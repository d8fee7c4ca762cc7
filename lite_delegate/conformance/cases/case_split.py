"""Conformance cases of Split, expected values by a direct loop over every element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase


def _loop(x: Array, axis: int, sizes: list[int]) -> tuple[Array, ...]:
    outs = []
    start = 0
    for size in sizes:
        out = np.empty((*x.shape[:axis], size, *x.shape[axis + 1 :]), dtype=x.dtype)
        for index in np.ndindex(*out.shape):
            out[index] = x[(*index[:axis], start + index[axis], *index[axis + 1 :])]
        outs.append(out)
        start += size
    return tuple(outs)


def _attributes(output_num: int, size_splits: tuple[int, ...] | None, axis: int) -> dict[str, Any]:
    return {"output_num": output_num, "size_splits": size_splits, "axis": axis}


def cases() -> Iterator[ConformanceCase]:
    """Equal and given sizes, a last -1, empty parts, sizes as an input, every axis, every dtype."""
    rng = np.random.default_rng(145)
    for name, shape, output_num, size_splits, axis, sizes in [
        ("equal_axis_0", (4, 3), 2, None, 0, [2, 2]),
        ("equal_last", (2, 6), 3, None, -1, [2, 2, 2]),
        ("equal_empty_list", (2, 6), 2, (), 1, [3, 3]),
        ("equal_channels", (1, 2, 2, 16), 2, None, 3, [8, 8]),
        ("equal_into_ones", (3, 2), 3, None, 0, [1, 1, 1]),
        ("one_part", (3, 2), 1, None, 0, [3]),
        ("given_sizes", (2, 7), 3, (1, 4, 2), 1, [1, 4, 2]),
        ("given_sizes_negative_axis", (2, 7, 3), 2, (3, 4), -2, [3, 4]),
        ("given_sizes_without_output_num", (7,), 0, (3, 4), 0, [3, 4]),
        ("last_minus_one", (2, 7), 3, (1, 4, -1), 1, [1, 4, 2]),
        ("last_minus_one_is_empty", (2, 5), 3, (1, 4, -1), 1, [1, 4, 0]),
        ("only_minus_one", (2, 5), 1, (-1,), 1, [5]),
        ("an_empty_part", (2, 3), 3, (1, 0, 2), 1, [1, 0, 2]),
        ("odd_channels", (1, 1, 2, 17), 3, (1, 7, 9), 3, [1, 7, 9]),
        ("an_empty_dimension", (0, 3), 2, None, 0, [0, 0]),
        ("an_empty_other_dimension", (0, 4), 2, None, 1, [2, 2]),
    ]:
        x = rng.normal(size=shape).astype(np.float32)
        outputs = _loop(x, axis % len(shape), sizes)
        attributes = _attributes(output_num, size_splits, axis)
        yield ConformanceCase(name, "Split", (x,), outputs, attributes)
    x = rng.normal(size=(2, 6)).astype(np.float32)
    given = np.array([1, 5], dtype=np.int32)
    outputs = _loop(x, 1, [1, 5])
    for name, attributes, constants in [
        ("input_replaces_sizes", _attributes(2, (3, 3), 1), frozenset({1})),
        ("input_without_sizes", _attributes(2, None, 1), frozenset({1})),
        ("input_not_constant", _attributes(2, None, 1), frozenset[int]()),
    ]:
        yield ConformanceCase(name, "Split", (x, given), outputs, attributes, constants=constants)
    for dtype in ("bool", "int8", "int32", "int64", "uint8", "float16", "float64"):
        x = rng.integers(0, 2 if dtype == "bool" else 100, size=(2, 4)).astype(dtype)
        attributes = _attributes(2, None, 1)
        yield ConformanceCase(f"dtype_{dtype}", "Split", (x,), _loop(x, 1, [2, 2]), attributes)
