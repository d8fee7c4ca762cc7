"""A gate's sum and its sigmoid in Python's own numbers, for case files of recurrent operators."""

from __future__ import annotations

import math

from ...judging.case import Array

Floats = list[float]


def sigmoid(value: float) -> float:
    """``1 / (1 + exp(-value))``, 0 where the exponential would overflow."""
    if value != value:
        return value
    return 1 / (1 + math.exp(-value)) if value > -700 else 0.0


def dot(row: Array, values: Floats) -> float:
    """The sum of the products of two vectors of one length, rounded once."""
    return math.fsum(float(a) * b for a, b in zip(row, values, strict=True))
