"""Cases of Tril and Triu: shapes, diagonals, dtypes, and zeros that replace NaN."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ...judging.case import Array, ConformanceCase
from ..samples import OTHER_DTYPES, exact, sample

Keeps = Callable[[int, int, int], bool]
"""True when row i, column j is kept for diagonal k."""


def triangle_cases(op_type: str, keeps: Keeps, seed: int) -> Iterator[ConformanceCase]:
    """Square and long matrices, batches, every diagonal inside and beyond, absent and constant k, every dtype."""
    rng = np.random.default_rng(seed)
    shapes = [(3, 3), (2, 5), (5, 2), (1, 1), (1, 4), (4, 1), (2, 3, 3), (2, 1, 2, 17), (1, 2, 1, 3, 2)]
    for shape in [*shapes, (0, 3), (2, 0), (0, 2, 2)]:
        x = sample(rng, shape)
        name = "shape_" + "_".join(map(str, shape))
        yield exact(op_type, name, (x,), (_loop(x, 0, keeps),))
    x = sample(rng, (2, 3, 4))
    for k in (-4, -3, -2, -1, 0, 1, 2, 3, 4, 5):
        diagonal = np.array(k, dtype=np.int64)
        yield exact(op_type, f"diagonal_{k}", (x, diagonal), (_loop(x, k, keeps),), constants={1})
    vector = np.array([1], dtype=np.int32)
    yield exact(op_type, "diagonal_of_one_element_not_constant", (x, vector), (_loop(x, 1, keeps),))
    special = np.array([[np.nan, np.inf], [-np.inf, np.nan]], dtype=np.float32)
    yield exact(op_type, "special_values_outside_become_0", (special,), (_loop(special, 0, keeps),))
    for dtype in OTHER_DTYPES:
        x = sample(rng, (3, 3), dtype)
        yield exact(op_type, f"dtype_{dtype}", (x,), (_loop(x, 0, keeps),))


def _loop(x: Array, k: int, keeps: Keeps) -> Array:
    out = np.empty_like(x)
    for place in np.ndindex(*x.shape):
        out[place] = x[place] if keeps(place[-2], place[-1], k) else 0
    return out
