"""Conformance cases of AddFusion, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .loops.scalars import binary_cases, fused_cases

NAN, INF = float("nan"), float("inf")


def _sum(a: float, b: float) -> float:
    return a + b


def cases() -> Iterator[ConformanceCase]:
    """Broadcasting, every dtype, fused activations, integers that wrap, special values."""
    yield from binary_cases("AddFusion", _sum, 5)
    yield from fused_cases("AddFusion", _sum, 6)
    a = np.array([NAN, INF, INF, -INF, 3e38, 0.0, 1.0], dtype=np.float32)
    b = np.array([1.0, 1.0, -INF, 2.0, 3e38, -0.0, NAN], dtype=np.float32)
    y = np.array([NAN, INF, NAN, -INF, INF, 0.0, NAN], dtype=np.float32)
    yield ConformanceCase("special_values", "AddFusion", (a, b), (y,), rtol=0, atol=0, source="hand")
    relu = np.array([NAN, INF, NAN, 0.0, INF, 0.0, NAN], dtype=np.float32)
    attributes = {"activation_type": "RELU"}
    yield ConformanceCase(
        "special_values_relu", "AddFusion", (a, b), (relu,), attributes, rtol=0, atol=0, source="hand"
    )
