"""The best elements of a line, one after another: what case files of TopKFusion, ArgMaxFusion, ArgMinFusion share."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...judging.case import Array

NUMBER_DTYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float64")
"""Every dtype that has an order, beside float32."""


def best_places(line: Sequence[float], count: int, *, largest: bool) -> list[int]:
    """The indices of the ``count`` best, found one at a time: NaN first, then the value, then the lower index."""
    left = list(range(len(line)))
    chosen = []
    for _ in range(count):
        best = left[0]
        for i in left[1:]:
            if _beats(line[i], line[best], largest=largest):
                best = i
        left.remove(best)
        chosen.append(best)
    return chosen


def _beats(a: float, b: float, *, largest: bool) -> bool:
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and not math.isnan(b)
    return a > b if largest else a < b


def best_along(x: Array, axis: int, count: int, *, largest: bool) -> tuple[Array, Array]:
    """Values and int32 indices of the ``count`` best of every line along ``axis``."""
    shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
    values, indices = np.empty(shape, dtype=x.dtype), np.empty(shape, dtype=np.int32)
    for outer in np.ndindex(*x.shape[:axis]):
        for inner in np.ndindex(*x.shape[axis + 1 :]):
            line = x[(*outer, slice(None), *inner)]
            for i, place in enumerate(best_places(line.tolist(), count, largest=largest)):
                values[(*outer, i, *inner)] = line[place]
                indices[(*outer, i, *inner)] = place
    return values, indices


def with_ties(rng: np.random.Generator, shape: tuple[int, ...], dtype: str = "float32") -> Array:
    """Small whole numbers, so that many are equal."""
    return rng.integers(0, 5, size=shape).astype(dtype)
