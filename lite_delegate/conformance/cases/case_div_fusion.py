"""Conformance cases of DivFusion, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .loops.scalars import binary_cases, exact_case, fused_cases, truncated_quotient

NAN, INF = float("nan"), float("inf")


def cases() -> Iterator[ConformanceCase]:
    """Broadcasting, every dtype, fused activations, truncation for every pair of signs, special values."""
    yield from binary_cases("DivFusion", truncated_quotient, 5)
    yield from fused_cases("DivFusion", truncated_quotient, 6)
    a = np.array([7, -7, 7, -7, 6, -6, 0, 1, -1], dtype=np.int32)
    b = np.array([2, 2, -2, -2, 3, -3, -5, 4, 4], dtype=np.int32)
    truncated = np.array([3, -3, -3, 3, 2, 2, 0, 0, 0], dtype=np.int32)
    for dtype in ("int8", "int16", "int32", "int64"):
        inputs, outputs = (a.astype(dtype), b.astype(dtype)), (truncated.astype(dtype),)
        yield ConformanceCase(f"truncates_toward_zero_{dtype}", "DivFusion", inputs, outputs, source="hand")
    low = np.array([-(2**31), -(2**31), 2**31 - 1], dtype=np.int32)
    yield exact_case("int32_limits", "DivFusion", (low, np.array([1, 2, -1], dtype=np.int32)), truncated_quotient)
    a = np.array([NAN, INF, INF, 1.0, -1.0, 0.0, 1.0, 3e38, 1.0], dtype=np.float32)
    f = np.array([1.0, 2.0, INF, 0.0, 0.0, 0.0, -0.0, 0.1, -INF], dtype=np.float32)
    y = np.array([NAN, INF, NAN, INF, -INF, NAN, -INF, INF, -0.0], dtype=np.float32)
    yield ConformanceCase("special_values", "DivFusion", (a, f), (y,), source="hand")
    relu6 = np.array([NAN, 6, NAN, 6, 0, NAN, 0, 6, 0], dtype=np.float32)
    attributes = {"activation_type": "RELU6"}
    yield ConformanceCase("special_values_relu6", "DivFusion", (a, f), (relu6,), attributes, source="hand")
