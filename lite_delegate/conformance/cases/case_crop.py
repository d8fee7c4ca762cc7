"""Conformance cases of Crop, expected values by a direct loop over every element of the output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import OTHER_DTYPES, exact, sample

Shape = tuple[int, ...]


def _loop(x: Array, shape: Shape, begins: Shape) -> Array:
    out = np.empty(shape, dtype=x.dtype)
    for place in np.ndindex(*shape):
        out[place] = x[tuple(b + p for b, p in zip(begins, place, strict=True))]
    return out


def cases() -> Iterator[ConformanceCase]:
    """Every axis from either end, no, one and several offsets, whole and empty boxes, another dtype, every dtype."""
    rng = np.random.default_rng(39)
    boxes: list[tuple[str, Shape, Shape, dict[str, Any], Shape]] = [
        ("rank_1", (7,), (3,), {"axis": 0, "offsets": (2,)}, (2,)),
        ("rank_2_one_offset_for_all", (5, 6), (2, 3), {"axis": 0, "offsets": (1,)}, (1, 1)),
        ("rank_2_two_offsets", (5, 6), (2, 3), {"axis": 0, "offsets": (3, 2)}, (3, 2)),
        ("rank_2_last_axis", (4, 6), (4, 3), {"axis": 1, "offsets": (3,)}, (0, 3)),
        ("rank_3_negative_axis", (2, 5, 6), (2, 2, 2), {"axis": -2, "offsets": (1, 4)}, (0, 1, 4)),
        ("rank_4_rows_and_columns", (1, 5, 6, 8), (1, 3, 4, 8), {"axis": 1, "offsets": (2, 1, 0)}, (0, 2, 1, 0)),
        ("rank_4_from_axis_2", (2, 3, 5, 7), (2, 3, 4, 4), {"axis": 2, "offsets": (1, 3)}, (0, 0, 1, 3)),
        ("rank_4_one_offset_from_axis_2", (1, 3, 5, 7), (1, 3, 2, 2), {"axis": 2, "offsets": (3,)}, (0, 0, 3, 3)),
        ("rank_4_channels_17", (1, 2, 2, 17), (1, 2, 2, 7), {"axis": 3, "offsets": (10,)}, (0, 0, 0, 10)),
        ("rank_5", (2, 1, 4, 3, 4), (2, 1, 2, 2, 2), {"axis": 2, "offsets": (2, 1, 0)}, (0, 0, 2, 1, 0)),
        ("sizes_before_the_axis_shrink_too", (3, 4, 5), (1, 4, 2), {"axis": 2, "offsets": (3,)}, (0, 0, 3)),
        ("defaults", (4, 5), (2, 2), {}, (0, 0)),
        ("empty_offsets", (4, 5), (2, 5), {"axis": 0, "offsets": ()}, (0, 0)),
        ("everything", (4, 5), (4, 5), {"offsets": (0, 0)}, (0, 0)),
        ("nothing", (4, 5), (0, 5), {"offsets": (4, 0)}, (4, 0)),
        ("one_element", (3, 3), (1, 1), {"offsets": (2, 2)}, (2, 2)),
    ]
    for name, shape, like, attributes, begins in boxes:
        x = sample(rng, shape)
        yield exact("Crop", name, (x, sample(rng, like)), (_loop(x, like, begins),), attributes)
    x = sample(rng, (4, 5))
    other = np.zeros((2, 2), dtype=np.int8)
    yield exact("Crop", "like_of_another_dtype", (x, other), (_loop(x, (2, 2), (1, 1)),), {"offsets": (1,)}, {1})
    for dtype in OTHER_DTYPES:
        x = sample(rng, (3, 4), dtype)
        like_x = np.zeros((2, 2), dtype=dtype)
        yield exact("Crop", f"dtype_{dtype}", (x, like_x), (_loop(x, (2, 2), (1, 2)),), {"offsets": (1, 2)})
