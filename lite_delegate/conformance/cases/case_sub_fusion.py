"""Conformance cases of SubFusion, expected values element by element in Python's own numbers."""

from __future__ import annotations

import operator
from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.arithmetic import INF, NAN, fusing_cases


def cases() -> Iterator[ConformanceCase]:
    """Broadcasting, every dtype, fused activations, integers that wrap, special values."""
    b = [1.0, 1.0, -INF, 2.0, -3e38, -0.0, NAN]
    yield from fusing_cases("SubFusion", operator.sub, b, [NAN, INF, INF, -INF, INF, 0.0, NAN])
