"""Conformance cases of ReverseV2, expected values by a direct loop over every element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import OTHER_DTYPES, exact, sample


def _loop(x: Array, axes: tuple[int, ...]) -> Array:
    out = np.empty_like(x)
    reversed_axes = {a % x.ndim for a in axes}
    for place in np.ndindex(*x.shape):
        source = tuple(x.shape[i] - 1 - p if i in reversed_axes else p for i, p in enumerate(place))
        out[place] = x[source]
    return out


def cases() -> Iterator[ConformanceCase]:
    """No, one and several axes from either end, ranks 0 to 5, sizes of 1 and 0, every dtype."""
    rng = np.random.default_rng(122)
    for name, shape, axes in [
        ("rank_0_no_axes", (), ()),
        ("rank_1", (5,), (0,)),
        ("rank_1_negative", (4,), (-1,)),
        ("rank_2_axis_0", (3, 4), (0,)),
        ("rank_2_both", (3, 4), (0, 1)),
        ("rank_3_middle", (2, 3, 4), (1,)),
        ("rank_3_first_and_last", (2, 3, 4), (-1, 0)),
        ("rank_4_columns", (1, 3, 4, 8), (2,)),
        ("rank_4_channels_17", (2, 2, 2, 17), (3,)),
        ("rank_5", (2, 1, 3, 2, 2), (4, 2, 0)),
        ("no_axes", (2, 3), ()),
        ("axis_of_size_1", (1, 3), (0,)),
        ("one_element", (1,), (0,)),
        ("empty", (0, 3), (0, 1)),
    ]:
        x = sample(rng, shape)
        yield exact("ReverseV2", name, (x,), (_loop(x, axes),), {"axis": axes})
    x = sample(rng, (2, 3))
    yield exact("ReverseV2", "absent_axis", (x,), (x,), source="hand")
    special = np.array([np.nan, np.inf, -0.0, -np.inf], dtype=np.float32)
    yield exact("ReverseV2", "special_values", (special,), (special[[3, 2, 1, 0]],), {"axis": (0,)}, source="hand")
    for dtype in OTHER_DTYPES:
        x = sample(rng, (2, 3), dtype)
        yield exact("ReverseV2", f"dtype_{dtype}", (x,), (_loop(x, (1,)),), {"axis": (1,)})
