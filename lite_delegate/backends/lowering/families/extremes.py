"""Largest and smallest numbers over axes, NaN where one is among them."""

from __future__ import annotations

import math

import numpy as np

from ..lowering import Lowering
from ..term import Shape, Term

BOOL = np.dtype(bool)


def extreme(lowering: Lowering, op: str, x: Term, places: Term, shape: Shape) -> Term:
    """ReduceMax or ReduceMin over axes that stay. ONNX leaves the result for NaN open, so it is looked for."""
    y = lowering.emit(op, [x, places], x.dtype, shape, keepdims=1)
    if x.dtype.kind != "f":
        return y
    found = lowering.emit("IsNaN", [x], BOOL, x.shape)
    found = lowering.emit("ReduceMax", [found, places], BOOL, shape, keepdims=1)
    return lowering.emit("Where", [found, lowering.scalar(math.nan, y.dtype), y], y.dtype, shape)
