"""Exactness of a device's products of 8-bit integers."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ....tensors.tensor import Array
from .package import core

CHANNELS = 32
LARGEST = 255, 127
"""The largest integers of the two factors of a product."""
MOST_EXACT = 64
"""Processors without products of 8-bit numbers into 32 bits add two of them in 16: 2 * 255 * 64 fits, no more does."""


def are_exact_anywhere(weights: Array) -> bool:
    """Whether products with these 8-bit weights are exact on every processor."""
    return bool((np.abs(weights.astype(np.int16)) <= MOST_EXACT).all())


@cache
def has_exact_products(device: str) -> bool:
    """Whether a convolution of the largest 8-bit integers is right; False where the device cannot say.

    Processors without instructions for it (VNNI) add two products in 16 bits, which saturates.
    """
    try:
        compiled = core().compile_model(_convolution(), device, {"INFERENCE_PRECISION_HINT": "f32"})
        x = np.full((1, CHANNELS, 1, 1), LARGEST[0], np.float32)
        (y,) = compiled([x]).values()
    except Exception:  # plugins raise what they like
        return False
    return bool(np.all(np.asarray(y) == CHANNELS * LARGEST[0] * LARGEST[1]))


def _convolution() -> Any:
    from openvino import Model, Type, opset16

    parameter = opset16.parameter([1, CHANNELS, 1, 1], Type.f32)
    bounds = np.float32(0), np.float32(LARGEST[0])
    x = opset16.fake_quantize(parameter, *bounds, *bounds, LARGEST[0] + 1)
    integers = np.full((CHANNELS, CHANNELS, 1, 1), LARGEST[1], np.int8)
    weight = opset16.multiply(opset16.convert(opset16.constant(integers), Type.f32), np.float32(1))
    y = opset16.convolution(x, weight, [1, 1], [0, 0], [0, 0], [1, 1])
    return Model([opset16.result(y)], [parameter], "largest")
