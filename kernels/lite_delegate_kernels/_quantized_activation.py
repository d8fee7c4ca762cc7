"""Fused activations on integers: bounds for the result."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._kernel import Array
from ._quantization import round_half_away


def clamp_fused(q: Array, activation_type: str, scale: float, zero_point: int, dtype: np.dtype[Any]) -> Array:
    """Whole numbers after the fused activation, in ``dtype``.

    RELU starts at the integer of 0, RELU6 also ends at that of 6; any other name counts as none.
    """
    limits = np.iinfo(dtype)
    low, high = limits.min, limits.max
    if activation_type in ("RELU", "RELU6"):
        low = max(low, zero_point)
    if activation_type == "RELU6":
        high = min(high, int(round_half_away(np.asarray(6 / scale + zero_point))))
    return np.asarray(np.minimum(np.maximum(q, low), high)).astype(dtype)
