"""Conformance cases of Dropout: the output is the input, the mask is ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.elementwise import FLOATS, SHAPES

NAN, INF = float("nan"), float("inf")


def cases() -> Iterator[ConformanceCase]:
    """Shapes and dtypes with and without the mask, keep_prob at its limits, numbers that are not finite."""
    rng = np.random.default_rng(49)
    for name, shape in SHAPES:
        x = np.asarray(rng.normal(size=shape)).astype(np.float32)
        yield ConformanceCase(name, "Dropout", (x,), (x,), source="hand")
        outputs = (x, np.full(shape, 1, dtype=np.float32))
        yield ConformanceCase(f"{name}_with_mask", "Dropout", (x,), outputs, source="hand")
    for dtype in FLOATS:
        special = np.array([NAN, INF, -INF, 0.0, 2.5]).astype(dtype)
        outputs = (special, np.array([1, 1, 1, 1, 1], dtype=dtype))
        yield ConformanceCase(f"special_values_{dtype}", "Dropout", (special,), outputs, source="hand")
    x = rng.normal(size=(3, 4)).astype(np.float32)
    for keep_prob in (0.0, 0.1, 1.0):
        attributes = {"keep_prob": keep_prob}
        yield ConformanceCase(f"keep_prob_{keep_prob}", "Dropout", (x,), (x,), attributes, source="hand")
    yield ConformanceCase("constant", "Dropout", (x,), (x,), {}, frozenset({0}), source="hand")
