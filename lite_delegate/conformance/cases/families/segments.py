"""Cases of UNSORTED_SEGMENT_MAX, MIN and PROD: rows that are combined by the segment that each belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ...judging.case import Array, ConformanceCase
from ..loops.scalars import ScalarFunction, store
from ..samples import exact, ints, sample

Start = Callable[[str], float]
ROWS: list[tuple[str, tuple[int, ...], object, int]] = [
    ("rank_1", (5,), [0, 2, 0, 1, 2], 3),
    ("rows", (4, 3), [1, 0, 1, 1], 2),
    ("segments_without_rows", (3, 2), [4, 1, 4], 6),
    ("negative_ids_are_left_out", (4, 3), [-1, 0, -7, 0], 2),
    ("ids_of_two_dimensions", (2, 3, 4), [[0, 1, 0], [2, 2, 1]], 3),
    ("ids_of_every_dimension", (2, 3), [[0, 1, 0], [2, 2, 1]], 3),
    ("rank_4_channels_17", (3, 2, 1, 17), [1, 1, 0], 2),
    ("one_segment", (5, 2), [0, 0, 0, 0, 0], 1),
    ("no_rows", (0, 3), [], 2),
]
"""Name, shape, segments, how many there are."""


def segment_cases(op_type: str, function: ScalarFunction, start: Start, seed: int) -> Iterator[ConformanceCase]:
    """Segments of one and several dimensions, out of order, negative, without rows; both dtypes; nothing constant.

    Args:
        op_type: the operator.
        function: of what was combined so far and the next element.
        start: what a segment without rows has, by dtype.
        seed: of the inputs.
    """
    rng = np.random.default_rng(seed)
    for dtype in ("float32", "int32"):
        for name, shape, ids, count in ROWS:
            x, segments = sample(rng, shape, dtype), np.array(ids, np.int32)
            y = _loop(function, start(dtype), x, segments, count)
            # Products of floats are rounded each time, which no loop has to do alike.
            rtol = 1e-6 if dtype == "float32" else 0.0
            inputs = (x, segments, np.array(count, np.int32))
            yield ConformanceCase(f"{name}_{dtype}", op_type, inputs, (y,), {}, frozenset({2}), rtol, 0.0)
    x, segments = sample(rng, (4, 3), "int32"), ints(1, 0, 1, -1)
    outputs = (_loop(function, start("int32"), x, segments, 2),)
    yield exact(op_type, "number_not_constant", (x, segments, ints(2)), outputs)
    yield exact(op_type, "constant_ids", (x, segments, ints(2)), outputs, constants={1, 2})


def _loop(function: ScalarFunction, start: float, x: Array, segments: Array, count: int) -> Array:
    rest = x.shape[segments.ndim :]
    found = dict.fromkeys(np.ndindex(count, *rest), start)
    for place in np.ndindex(segments.shape):
        for inner in np.ndindex(*rest):
            at = (int(segments[place]), *inner)
            if at in found:
                found[at] = function(found[at], x[place + inner].item())
    y = np.empty((count, *rest), x.dtype)
    for at, value in found.items():
        y[at] = store(value, x.dtype)
    return y
