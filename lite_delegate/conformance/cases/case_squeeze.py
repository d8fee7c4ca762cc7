"""Conformance cases of Squeeze, expected values by a direct loop over every element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def _loop(x: Array, dropped: tuple[int, ...]) -> Array:
    kept = [i for i in range(x.ndim) if i not in dropped]
    out = np.empty([x.shape[i] for i in kept], dtype=x.dtype)
    for index in np.ndindex(*x.shape):
        out[tuple(index[i] for i in kept)] = x[index]
    return out


def cases() -> Iterator[ConformanceCase]:
    """All ones dropped, named ones dropped, negative and unordered axes, axes as an input, every dtype."""
    rng = np.random.default_rng(147)
    for name, shape, axis, dropped in [
        ("absent_axis_drops_all_ones", (1, 3, 1, 2, 1), None, (0, 2, 4)),
        ("empty_axis_drops_all_ones", (1, 3, 1, 2), (), (0, 2)),
        ("nothing_to_drop", (2, 3), None, ()),
        ("to_scalar", (1, 1), None, (0, 1)),
        ("scalar", (), None, ()),
        ("axis_0", (1, 3, 1), (0,), (0,)),
        ("last_axis", (2, 3, 1), (2,), (2,)),
        ("negative_axis", (2, 1, 3, 1), (-3,), (1,)),
        ("two_axes_keep_the_third", (1, 1, 5, 1), (0, 3), (0, 3)),
        ("unordered_axes", (1, 4, 1), (2, 0), (0, 2)),
        ("mixed_signs", (2, 1, 1, 8), (-2, 1), (1, 2)),
        ("empty_array", (0, 1, 3), (1,), (1,)),
        ("after_global_pooling", (2, 1, 1, 17), (1, 2), (1, 2)),
    ]:
        x = rng.normal(size=shape).astype(np.float32)
        yield ConformanceCase(name, "Squeeze", (x,), (_loop(x, dropped),), {"axis": axis})
    x = rng.normal(size=(1, 2, 1, 3)).astype(np.float32)
    axes = np.array([2], dtype=np.int32)
    yield ConformanceCase(
        "input_replaces_attribute",
        "Squeeze",
        (x, axes),
        (_loop(x, (2,)),),
        {"axis": (0,)},
        constants=frozenset({1}),
    )
    yield ConformanceCase("axes_not_constant", "Squeeze", (x, axes), (_loop(x, (2,)),))
    for dtype in ("bool", "int8", "int32", "int64", "uint8", "float16", "float64"):
        x = rng.integers(0, 2 if dtype == "bool" else 100, size=(2, 1, 3)).astype(dtype)
        yield ConformanceCase(f"dtype_{dtype}", "Squeeze", (x,), (_loop(x, (1,)),), {"axis": (1,)})
