"""Conformance cases of ai.onnx.MaxUnpool, expected values element by element."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import exact, ints, sample

OP = "ai.onnx.MaxUnpool"


def cases() -> Iterator[ConformanceCase]:
    """Lines, images and volumes, strides, pads, a larger result, dtypes, a place that comes first."""
    rng = np.random.default_rng(411)
    for name, x, shape, given in [
        ("line", (1, 2, 3), (6,), {"kernel_shape": [2], "strides": [2]}),
        ("image", (2, 3, 2, 3), (4, 6), {"kernel_shape": [2, 2], "strides": [2, 2]}),
        ("overlap", (1, 1, 3, 3), (4, 4), {"kernel_shape": [2, 2]}),
        ("pads", (1, 2, 3, 3), (4, 5), {"kernel_shape": [2, 2], "strides": [2, 2], "pads": [1, 0, 1, 1]}),
        ("volume", (1, 2, 2, 2, 2), (4, 4, 2), {"kernel_shape": [2, 2, 1], "strides": [2, 2, 1]}),
    ]:
        pooled = (*x[:2], *shape)
        places = _places(rng, x, pooled)
        values = sample(rng, x)
        yield exact(OP, name, (values, places), (_loop(values, places, pooled),), given)
    square = {"kernel_shape": [2, 2], "strides": [2, 2]}
    for dtype in ("float16", "float64"):
        values, places = sample(rng, (1, 1, 2, 2), dtype), _places(rng, (1, 1, 2, 2), (1, 1, 4, 4))
        yield exact(OP, dtype, (values, places), (_loop(values, places, (1, 1, 4, 4)),), square)
    values, places = sample(rng, (1, 1, 2, 2)), ints(5, 7, 13, 15, dtype="int64").reshape(1, 1, 2, 2)
    small, larger = _loop(values, places, (1, 1, 4, 4)), np.zeros((1, 1, 5, 5), np.float32)
    for place in np.ndindex(small.shape):
        larger[place] = small[place]
    for name, constants in (("larger", {2}), ("larger_not_constant", set[int]())):
        operands = (values, places, ints(1, 1, 5, 5, dtype="int64"))
        yield exact(OP, name, operands, (larger,), square, constants=constants)


def _places(rng: np.random.Generator, x: Sequence[int], pooled: Sequence[int]) -> Array:
    """Different places for all elements."""
    count = int(np.prod(x))
    return rng.permutation(int(np.prod(pooled)))[:count].astype(np.int64).reshape(x)


def _loop(values: Array, places: Array, pooled: tuple[int, ...]) -> Array:
    found = [0.0] * int(np.prod(pooled))
    for place in np.ndindex(values.shape):
        found[int(places[place])] = values[place].item()
    return np.array(found, values.dtype).reshape(pooled)
