"""Fused activations: what the accumulators can do to a sum before it is rounded and stored."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from .instruction import Array


class Fused(StrEnum):
    """The function applied to an instruction's float32 result before it is rounded."""

    NONE = "none"
    RELU = "relu"
    RELU6 = "relu6"


def apply_fused(fused: Fused, accumulators: Array) -> Array:
    """``accumulators`` after the fused function, in place. NaN stays NaN."""
    if fused is Fused.RELU:
        np.maximum(accumulators, np.float32(0), out=accumulators)
    elif fused is Fused.RELU6:
        np.clip(accumulators, np.float32(0), np.float32(6), out=accumulators)
    return accumulators
