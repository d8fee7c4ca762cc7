"""Conformance cases of CumSum, expected values by a direct loop over every line of the axis."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.scalars import store
from .samples import exact, ints, sample


def _loop(x: Array, axis: int, *, exclusive: bool, reverse: bool) -> Array:
    out = np.empty_like(x)
    for place in np.ndindex(*x.shape):
        p, size = place[axis], x.shape[axis]
        others = range(p + exclusive, size) if reverse else range(p + 1 - exclusive)
        total = sum(x[(*place[:axis], i, *place[axis + 1 :])].item() for i in others)
        out[place] = store(total, x.dtype)
    return out


def cases() -> Iterator[ConformanceCase]:
    """Every axis from either end, all four modes, ranks 1 to 5, wrapping integers, special values, empty, dtypes."""
    rng = np.random.default_rng(192)
    modes = [(e, r) for e in (False, True) for r in (False, True)]
    for name, shape, axis in [
        ("rank_1", (7,), 0),
        ("rank_2_axis_0", (4, 3), 0),
        ("rank_2_last", (4, 3), -1),
        ("rank_3_middle", (2, 5, 3), 1),
        ("rank_4_channels_17", (1, 2, 2, 17), 3),
        ("rank_5_negative", (2, 1, 3, 2, 2), -3),
        ("one_element", (1,), 0),
        ("empty_axis", (2, 0), 1),
        ("empty_other_axis", (0, 3), 1),
    ]:
        for exclusive, reverse in modes:
            x = sample(rng, shape)
            expected = _loop(x, axis % len(shape), exclusive=exclusive, reverse=reverse)
            mode = f"{name}{'_exclusive' * exclusive}{'_reverse' * reverse}"
            attributes = {"exclusive": exclusive, "reverse": reverse}
            yield ConformanceCase(mode, "CumSum", (x, ints(axis)), (expected,), attributes, frozenset({1}))
    x = sample(rng, (3, 4))
    scalar = np.array(0, dtype=np.int64)
    expected = _loop(x, 0, exclusive=False, reverse=False)
    yield ConformanceCase("scalar_axis_not_constant", "CumSum", (x, scalar), (expected,))
    special = np.array([1.0, np.inf, 2.0, -np.inf, 3.0, np.nan, 4.0], dtype=np.float32)
    inf, nan = np.inf, np.nan
    running = np.array([1, inf, inf, nan, nan, nan, nan], dtype=np.float32)
    yield exact("CumSum", "special_values", (special, ints(0)), (running,), constants={1}, source="hand")
    shifted = np.array([0, 1, inf, inf, nan, nan, nan], dtype=np.float32)
    attributes = {"exclusive": True}
    inputs = (special, ints(0))
    yield exact("CumSum", "special_values_exclusive", inputs, (shifted,), attributes, {1}, source="hand")
    half = np.array([2048, 1, 1, 1], dtype=np.float16)
    sums = np.array([2048, 2048, 2050, 2052], dtype=np.float16)
    yield exact("CumSum", "float16_is_summed_in_float32", (half, ints(0)), (sums,), constants={1}, source="hand")
    for dtype in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        x = sample(rng, (3, 5), dtype)
        expected = _loop(x, 1, exclusive=False, reverse=True)
        yield exact("CumSum", f"dtype_{dtype}_wraps", (x, ints(1)), (expected,), {"reverse": True}, {1})
    x = sample(rng, (3, 5), "float64")
    expected = _loop(x, 1, exclusive=False, reverse=False)
    yield ConformanceCase("dtype_float64", "CumSum", (x, ints(1)), (expected,), {}, frozenset({1}), rtol=1e-12)
