"""Conformance cases of SparseFillEmptyRows, expected values by walking over the rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import OTHER_DTYPES, exact, ints, sample


def _loop(indices: Array, values: Array, rows: int, default: Array) -> tuple[Array, ...]:
    coordinates: list[list[int]] = []
    kept: list[object] = []
    went_to = [0] * len(values)
    empty = []
    for row in range(rows):
        own = [i for i, coordinate in enumerate(indices.tolist()) if coordinate[0] == row]
        empty.append(not own)
        for i in own:
            went_to[i] = len(kept)
            coordinates.append(indices[i].tolist())
            kept.append(values[i])
        if not own:
            coordinates.append([row] + [0] * (indices.shape[1] - 1))
            kept.append(default.ravel()[0])
    return (
        np.array(coordinates, dtype=indices.dtype).reshape(len(kept), indices.shape[1]),
        np.array(kept, dtype=values.dtype),
        np.array(empty, dtype=np.bool_),
        np.array(went_to, dtype=indices.dtype),
    )


def cases() -> Iterator[ConformanceCase]:
    """Empty rows at every place, none and all empty, rows out of order, coordinates of 1 to 3, every value dtype."""
    rng = np.random.default_rng(214)
    default = np.array(-1.5, dtype=np.float32)
    for name, indices, shape in [
        ("empty_row_in_the_middle", [[0, 1], [2, 0], [2, 3]], (3, 4)),
        ("empty_row_first", [[1, 1], [2, 0]], (3, 4)),
        ("empty_rows_last", [[0, 1], [0, 2]], (4, 4)),
        ("no_empty_row", [[0, 1], [1, 0], [2, 2]], (3, 3)),
        ("every_second_row", [[1, 1], [3, 0], [5, 2]], (6, 3)),
        ("rows_out_of_order", [[2, 1], [0, 0], [2, 0], [0, 3]], (4, 4)),
        ("columns_out_of_order", [[1, 3], [1, 0], [1, 2]], (3, 4)),
        ("coordinates_of_3", [[0, 1, 2], [3, 0, 1]], (4, 2, 3)),
        ("coordinates_of_1", [[1], [3]], (4,)),
        ("one_row", [[0, 0]], (1, 1)),
    ]:
        for dtype in ("int32", "int64"):
            where, values = np.array(indices, dtype=dtype), sample(rng, (len(indices),))
            inputs = (where, values, ints(*shape, dtype=dtype), default)
            outputs = _loop(where, values, shape[0], default)
            yield exact("SparseFillEmptyRows", f"{name}_{dtype}", inputs, outputs, constants={2})
    nothing, none = np.zeros((0, 2), dtype=np.int32), np.zeros(0, dtype=np.float32)
    inputs = (nothing, none, ints(3, 2), default)
    yield exact("SparseFillEmptyRows", "all_rows_empty", inputs, _loop(nothing, none, 3, default), constants={2})
    inputs = (nothing, none, ints(0, 2), default)
    yield exact("SparseFillEmptyRows", "no_rows", inputs, _loop(nothing, none, 0, default), constants={2})
    where = np.array([[2, 1], [0, 0]], dtype=np.int32)
    values = sample(rng, (2,))
    one = np.array([7.0], dtype=np.float32)
    outputs = _loop(where, values, 4, one)
    yield exact("SparseFillEmptyRows", "shape_not_constant", (where, values, ints(4, 2), one), outputs)
    for dtype in OTHER_DTYPES:
        values, fill = sample(rng, (2,), dtype), sample(rng, (), dtype)
        inputs = (where, values, ints(4, 2), fill)
        yield exact("SparseFillEmptyRows", f"dtype_{dtype}", inputs, _loop(where, values, 4, fill), constants={2})
