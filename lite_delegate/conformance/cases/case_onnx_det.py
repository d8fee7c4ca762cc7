"""Conformance cases of ai.onnx.Det, expected values by the sum over all permutations."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase

OP = "ai.onnx.Det"
SHAPES = {
    "one_by_one": (1, 1),
    "two": (2, 2),
    "three": (3, 3),
    "four": (4, 4),
    "batch": (5, 2, 2),
    "batches": (2, 3, 3, 3),
}


def cases() -> Iterator[ConformanceCase]:
    """Sizes, batches, dtypes, matrices without an inverse, empty batches."""
    rng = np.random.default_rng(61)
    for name, shape in SHAPES.items():
        yield _case(name, rng.normal(size=shape).astype(np.float32))
    yield _case("float64", rng.normal(size=(3, 3)))
    yield _case("singular", np.array([[1, 2, 3], [2, 4, 6], [0, 1, 1]], np.float32))
    yield _case("no_matrices", np.zeros((0, 2, 2), np.float32))


def _case(name: str, x: Array) -> ConformanceCase:
    flat = x.reshape(-1, *x.shape[-2:]).astype(np.float64)
    expected = np.array([_det(m) for m in flat], x.dtype).reshape(x.shape[:-2])
    return ConformanceCase(name, OP, (x,), (expected,), rtol=1e-5, atol=1e-5)


def _det(m: Any) -> float:
    total = 0.0
    for order in permutations(range(len(m))):
        product = -1.0 if sum(order[i] > order[j] for i in range(len(m)) for j in range(i, len(m))) % 2 else 1.0
        for row, column in enumerate(order):
            product *= float(m[row, column])
        total += product
    return total
