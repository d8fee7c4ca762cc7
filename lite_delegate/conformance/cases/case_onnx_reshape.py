"""Conformance cases of ai.onnx.Reshape, shapes written down."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import OTHER_DTYPES, exact, ints, sample

OP = "ai.onnx.Reshape"
ROWS: list[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...], int]] = [
    ("flat", (2, 3, 4), (24,), (24,), 0),
    ("more_dimensions", (6,), (1, 2, 1, 3), (1, 2, 1, 3), 0),
    ("what_is_left", (2, 3, 4), (4, -1), (4, 6), 0),
    ("only_what_is_left", (2, 3), (-1,), (6,), 0),
    ("zero_copies", (2, 3, 4), (0, 12), (2, 12), 0),
    ("zero_and_what_is_left", (2, 3, 4), (0, -1), (2, 12), 0),
    ("to_rank_0", (1, 1), (), (), 0),
    ("from_rank_0", (), (1, 1), (1, 1), 0),
    ("zero_is_a_size", (0, 3, 4), (3, 4, 0), (3, 4, 0), 1),
    ("empty", (0, 3), (3, 0), (3, 0), 1),
]
"""Name, shape, wanted, got, ``allowzero``."""


def cases() -> Iterator[ConformanceCase]:
    """Shapes that are known when the model runs or constants, -1, 0 of both meanings, every dtype."""
    rng = np.random.default_rng(412)
    for name, shape, wanted, got, allowzero in ROWS:
        for constants in ({1}, set[int]()):
            full = f"{name}{'' if constants else '_not_constant'}"
            x = sample(rng, shape)
            operands = (x, ints(*wanted, dtype="int64"))
            yield exact(OP, full, operands, (_filled(x, got),), {"allowzero": allowzero}, constants, source="hand")
    for dtype in OTHER_DTYPES:
        x = sample(rng, (2, 6), dtype)
        yield exact(OP, f"dtype_{dtype}", (x, ints(3, 4, dtype="int64")), (_filled(x, (3, 4)),), {}, {1}, "hand")


def _filled(x: Array, shape: tuple[int, ...]) -> Array:
    """The elements in a row under another shape."""
    y = np.empty(shape, x.dtype)
    for source, target in zip(np.ndindex(x.shape), np.ndindex(shape), strict=True):
        y[target] = x[source]
    return y
