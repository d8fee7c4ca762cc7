"""Cases of operators that take one part of complex numbers, which are pairs along the last axis."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...judging.case import Array, ConformanceCase


def part_cases(op_type: str, part: int, seed: int) -> Iterator[ConformanceCase]:
    """Ranks 1 to 5, float types, NaN and infinity, empty arrays; ``part``: which number of each pair is taken."""

    def case(name: str, x: Array) -> ConformanceCase:
        y = np.empty(x.shape[:-1], dtype=x.dtype)
        for index in np.ndindex(*y.shape):
            y[index] = x[(*index, part)]
        return ConformanceCase(name, op_type, (x,), (y,))

    rng = np.random.default_rng(seed)
    for shape in [(2,), (7, 2), (3, 5, 2), (2, 3, 17, 2), (2, 1, 2, 3, 2), (1, 1, 2)]:
        name = f"rank_{len(shape)}_of_{shape[-2] if len(shape) > 1 else 1}"
        yield case(name, rng.normal(size=shape).astype(np.float32))
    for dtype in ("float16", "float64"):
        yield case(dtype, rng.normal(size=(3, 4, 2)).astype(dtype))
    yield case("nan_and_infinity", np.array([[np.nan, 1], [2, np.inf], [-np.inf, np.nan]], dtype=np.float32))
    yield case("empty", np.zeros((3, 0, 2), dtype=np.float32))
