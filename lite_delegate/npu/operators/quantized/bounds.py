"""Fused activations of quantized kernels: bounds of the result."""

from __future__ import annotations

import numpy as np

from ....ir.types.data_type import DataType
from ....ir.types.enums import ActivationType
from ....semantics.quantization import LIMITS, Parameters
from ...device.instructions.quantized_scaling import half_away

BOUNDED = frozenset({ActivationType.NO_ACTIVATION, ActivationType.RELU, ActivationType.RELU6})
"""The activations that bounds of integers express."""


def bounds_of(activation: ActivationType, parameters: Parameters, dtype: DataType) -> tuple[int, int]:
    """The lowest and the highest integer of a result: RELU starts at the integer of 0, RELU6 ends at that of 6."""
    low, high = LIMITS[dtype]
    if activation in (ActivationType.RELU, ActivationType.RELU6):
        low = max(low, parameters.zero_point)
    if activation == ActivationType.RELU6:
        high = min(high, int(half_away(np.asarray(6 / parameters.scale + parameters.zero_point))))
    return low, high
