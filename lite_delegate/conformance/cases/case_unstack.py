"""Conformance cases of Unstack, expected values by a direct loop over every element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def _loop(x: Array, axis: int) -> tuple[Array, ...]:
    shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    outs = tuple(np.empty(shape, dtype=x.dtype) for _ in range(x.shape[axis]))
    for index in np.ndindex(*x.shape):
        outs[index[axis]][(*index[:axis], *index[axis + 1 :])] = x[index]
    return outs


def cases() -> Iterator[ConformanceCase]:
    """Every axis from either end, one output and many, scalars out, empty outputs, every dtype."""
    rng = np.random.default_rng(166)
    for name, shape, axis in [
        ("rank_1_gives_scalars", (4,), 0),
        ("rank_1_negative", (3,), -1),
        ("rank_2_axis_0", (3, 2), 0),
        ("rank_2_last", (3, 2), 1),
        ("rank_3_middle", (2, 3, 4), 1),
        ("rank_3_negative_middle", (2, 3, 4), -2),
        ("rank_4_channels", (1, 2, 2, 7), 3),
        ("one_output", (1, 3), 0),
        ("seventeen_outputs", (2, 17), 1),
        ("empty_outputs", (0, 2), 1),
    ]:
        x = rng.normal(size=shape).astype(np.float32)
        yield ConformanceCase(name, "Unstack", (x,), _loop(x, axis % len(shape)), {"axis": axis})
    x = rng.normal(size=(2, 3)).astype(np.float32)
    yield ConformanceCase("default_axis", "Unstack", (x,), _loop(x, 0))
    for dtype in ("bool", "int8", "int32", "int64", "uint8", "float16", "float64"):
        x = rng.integers(0, 2 if dtype == "bool" else 100, size=(2, 3)).astype(dtype)
        yield ConformanceCase(f"dtype_{dtype}", "Unstack", (x,), _loop(x, 1), {"axis": 1})
