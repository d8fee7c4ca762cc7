"""Conformance cases of ai.onnx.ScatterElements, expected values by one update after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.scalars import store
from .samples import OTHER_DTYPES, exact, sample

OP = "ai.onnx.ScatterElements"
REDUCTIONS: dict[str, Callable[[float, float], float]] = {
    "none": lambda old, new: new,
    "add": lambda old, new: old + new,
    "mul": lambda old, new: old * new,
    "max": max,
    "min": min,
}


def cases() -> Iterator[ConformanceCase]:
    """Every reduction with indices that repeat, axes, fewer updates than elements, negative indices, every dtype."""
    rng = np.random.default_rng(415)
    for reduction in REDUCTIONS:
        indices = rng.integers(0, 4, (2, 5))
        yield _case(reduction, sample(rng, (4, 5), "int32"), indices, sample(rng, (2, 5), "int32"), 0, reduction)
    for name, shape, given, axis in [
        ("rank_1", (7,), (3,), 0),
        ("last_axis", (3, 6), (3, 2), 1),
        ("negative_axis", (3, 6), (2, 4), -1),
        ("middle_of_rank_3", (2, 4, 3), (2, 3, 2), 1),
        ("rank_5", (2, 1, 3, 2, 2), (2, 1, 2, 1, 2), 2),
        ("no_updates", (3, 4), (0, 4), 0),
    ]:
        size = shape[axis]
        indices = np.argsort(rng.random((*given, size)), axis=-1)[..., 0]
        along = np.moveaxis(indices, axis, 0)
        for i in range(len(along)):
            along[i] = (i * 2) % size
        yield _case(name, sample(rng, shape), indices, sample(rng, given), axis)
    indices = np.array([[-1, 0, -4], [1, -2, 2]])
    for dtype in OTHER_DTYPES:
        yield _case(f"dtype_{dtype}", sample(rng, (4, 3), dtype), indices, sample(rng, (2, 3), dtype), 0)
    x, updates = sample(rng, (4, 3)), sample(rng, (2, 3))
    yield _case("int32_indices", x, indices.astype(np.int32), updates, 0)
    yield _case("constant_indices", x, indices, updates, 0, constants=frozenset({1}))


def _case(
    name: str,
    x: Array,
    indices: Array,
    updates: Array,
    axis: int,
    reduction: str = "none",
    constants: frozenset[int] = frozenset(),
) -> ConformanceCase:
    values = {place: x[place].item() for place in np.ndindex(x.shape)}
    for place in np.ndindex(indices.shape):
        at = list(place)
        at[axis] = int(indices[place]) % x.shape[axis]
        values[tuple(at)] = REDUCTIONS[reduction](values[tuple(at)], updates[place].item())
    y = np.empty_like(x)
    for place, value in values.items():
        y[place] = store(value, x.dtype) if x.dtype.kind != "b" else value
    return exact(OP, name, (x, indices, updates), (y,), {"axis": axis, "reduction": reduction}, constants)
