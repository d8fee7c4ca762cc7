"""Conformance cases of ai.onnx.ScatterND, expected values by a direct loop over every update."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.coordinates import SCATTERS, Update, distinct_coordinates, scatter_forms, scatter_loop
from .samples import OTHER_DTYPES, exact, sample

OP = "ai.onnx.ScatterND"
REDUCTIONS: dict[str, Update] = {
    "none": lambda old, new: new,
    "add": lambda old, new: old + new,
    "mul": lambda old, new: old * new,
    "max": max,
    "min": min,
}


def cases() -> Iterator[ConformanceCase]:
    """Coordinates of some and all dimensions, repeated and negative ones, every reduction, every dtype."""
    rng = np.random.default_rng(416)
    for name, shape, index_shape, length in SCATTERS:
        x, updates = sample(rng, shape), sample(rng, index_shape + shape[length:])
        yield _case(name, x, distinct_coordinates(rng, index_shape, shape[:length]), updates)
    for name, indices in scatter_forms():
        yield _case(name, sample(rng, (4, 3)), indices, sample(rng, (len(indices), 3)))
    repeated = np.array([[2], [0], [2], [2]])
    for reduction in REDUCTIONS:
        x, updates = sample(rng, (4, 3), "int32"), sample(rng, (4, 3), "int32")
        yield _case(f"reduction_{reduction}", x, repeated, updates, reduction)
    indices = np.array([[1], [3]])
    for dtype in OTHER_DTYPES:
        yield _case(f"dtype_{dtype}", sample(rng, (4, 2), dtype), indices, sample(rng, (2, 2), dtype))
    x, updates = sample(rng, (4, 2)), sample(rng, (2, 2))
    yield _case("constant_indices", x, indices, updates, constants=frozenset({1}))


def _case(
    name: str,
    x: Array,
    indices: Array,
    updates: Array,
    reduction: str = "none",
    constants: frozenset[int] = frozenset(),
) -> ConformanceCase:
    wide = indices.astype(np.int64)
    outputs = (scatter_loop(x, wide, updates, REDUCTIONS[reduction]),)
    return exact(OP, name, (x, wide, updates), outputs, {"reduction": reduction}, constants)
