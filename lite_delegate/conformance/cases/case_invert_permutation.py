"""Conformance cases of InvertPermutation, expected values by looking for every position."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import exact, ints


def _loop(x: Array) -> Array:
    order = x.tolist()
    return np.array([order.index(i) for i in range(len(order))], dtype=x.dtype)


def cases() -> Iterator[ConformanceCase]:
    """Layout permutations both ways, a cycle, a swap, long ones, one element, none, every integer dtype."""
    for name, x in [
        ("nhwc_to_nchw", ints(0, 3, 1, 2)),
        ("nchw_to_nhwc", ints(0, 2, 3, 1)),
        ("cycle", ints(1, 2, 3, 4, 0)),
        ("its_own_inverse", ints(1, 0, 3, 2)),
        ("identity", ints(0, 1, 2)),
        ("reversal", ints(4, 3, 2, 1, 0)),
        ("one_element", ints(0)),
        ("no_elements", ints()),
    ]:
        yield exact("InvertPermutation", name, (x,), (_loop(x),))
    long = np.random.default_rng(174).permutation(100).astype(np.int32)
    yield exact("InvertPermutation", "hundred_elements", (long,), (_loop(long),))
    constant = ints(2, 0, 1)
    yield exact("InvertPermutation", "constant", (constant,), (_loop(constant),), constants={0})
    for dtype in ("int8", "int16", "int64", "uint8", "uint16", "uint32", "uint64"):
        x = ints(2, 0, 3, 1, dtype=dtype)
        yield exact("InvertPermutation", f"dtype_{dtype}", (x,), (_loop(x),))
