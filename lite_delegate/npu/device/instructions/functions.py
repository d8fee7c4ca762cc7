"""Fused activations: the functions that accumulators can apply to a sum before it is rounded and stored."""

from __future__ import annotations

import math
from enum import StrEnum

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array


class FusedFunction(StrEnum):
    """``CLAMP`` takes (lowest, highest), ``LEAKY_RELU`` takes (alpha,)."""

    NONE = "none"
    CLAMP = "clamp"
    LEAKY_RELU = "leaky_relu"


@dataclass(frozen=True, slots=True)
class Fused:
    """The function applied to an instruction's float32 result before it is rounded."""

    function: FusedFunction = FusedFunction.NONE
    parameters: tuple[float, ...] = ()


UNFUSED = Fused()
RELU = Fused(FusedFunction.CLAMP, (0.0, math.inf))
RELU6 = Fused(FusedFunction.CLAMP, (0.0, 6.0))


def apply_fused(fused: Fused, accumulators: Array) -> Array:
    """``accumulators`` (float32; int32 for ``CLAMP``) after the fused function, in place. NaN stays NaN."""
    if fused.function is FusedFunction.CLAMP and accumulators.dtype.kind == "i":
        limits = np.iinfo(accumulators.dtype)
        lowest, highest = fused.parameters
        np.clip(accumulators, int(max(lowest, limits.min)), int(min(highest, limits.max)), out=accumulators)
    elif fused.function is FusedFunction.CLAMP:
        low, high = map(np.float32, fused.parameters)
        np.clip(accumulators, low, high, out=accumulators)
    elif fused.function is FusedFunction.LEAKY_RELU:
        np.multiply(accumulators, np.float32(fused.parameters[0]), out=accumulators, where=accumulators < 0)
    return accumulators
