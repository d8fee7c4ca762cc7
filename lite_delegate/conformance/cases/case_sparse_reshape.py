"""Conformance cases of SparseReshape, expected values by counting to each coordinate in both shapes."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import exact, ints


def _loop(indices: Array, source: tuple[int, ...], target: tuple[int, ...]) -> Array:
    before, after = list(np.ndindex(*source)), list(np.ndindex(*target))
    moved = [after[before.index(tuple(row))] for row in indices.tolist()]
    return np.array(moved, dtype=indices.dtype).reshape(len(moved), len(target))


def cases() -> Iterator[ConformanceCase]:
    """More and fewer dimensions, -1 in every place, coordinates out of order, nothing, scalars, both index dtypes."""
    rng = np.random.default_rng(215)
    for name, source, wanted in [
        ("to_one_dimension", (2, 3), (6,)),
        ("from_one_dimension", (12,), (3, 4)),
        ("transposed_sizes", (2, 3), (3, 2)),
        ("rank_3_to_2", (2, 3, 4), (6, 4)),
        ("rank_2_to_5", (4, 6), (2, 2, 1, 3, 2)),
        ("same_shape", (3, 5), (3, 5)),
        ("ones_added", (2, 3), (1, 2, 1, 3)),
        ("first_left_open", (4, 3), (-1, 6)),
        ("last_left_open", (4, 3), (2, 2, -1)),
        ("all_left_open", (4, 3), (-1,)),
        ("channels_17", (2, 17), (17, 2)),
        ("one_element", (1, 1), (1,)),
        ("to_a_scalar", (1, 1), ()),
    ]:
        count = math.prod(source)
        target = tuple(count // -math.prod(wanted) if d == -1 else d for d in wanted)
        for dtype in ("int32", "int64"):
            every = np.array(list(np.ndindex(*source)), dtype=dtype).reshape(count, len(source))
            indices = rng.permutation(every)[: max(1, count // 2)]
            inputs = (indices, ints(*source, dtype=dtype), ints(*wanted, dtype=dtype))
            outputs = (_loop(indices, source, target), ints(*target, dtype=dtype))
            yield exact("SparseReshape", f"{name}_{dtype}", inputs, outputs, constants={1, 2})
    repeated = np.array([[1, 2], [1, 2], [0, 0]], dtype=np.int64)
    inputs = (repeated, ints(2, 3, dtype="int64"), ints(3, -1, dtype="int64"))
    outputs = (_loop(repeated, (2, 3), (3, 2)), ints(3, 2, dtype="int64"))
    yield exact("SparseReshape", "repeated_coordinates_nothing_constant", inputs, outputs)
    yield exact("SparseReshape", "everything_constant", inputs, outputs, constants={0, 1, 2})
    nothing = np.zeros((0, 2), dtype=np.int32)
    inputs = (nothing, ints(2, 3), ints(6))
    outputs = (np.zeros((0, 1), dtype=np.int32), ints(6))
    yield exact("SparseReshape", "no_coordinates", inputs, outputs, constants={1, 2}, source="hand")
    inputs = (nothing, ints(0, 3), ints(3, 0, 2))
    outputs = (np.zeros((0, 3), dtype=np.int32), ints(3, 0, 2))
    yield exact("SparseReshape", "empty_shapes", inputs, outputs, constants={1, 2}, source="hand")
