"""Unpooling: the maxima that a pool kept, back at their positions."""

from __future__ import annotations

import math

import numpy as np

from ....delegate import Kernel, RejectCode
from ....semantics.operands import required
from ..lowering import Lowering, wanted
from ..term import Lowered, Shape
from .borders import padded
from .onnx_operators import attributes_of
from .places import as_int32, never_negative
from .reshaping import reshaped
from .results import as_model, given_shape
from .scattering import MOST_ROWS, combined


def lower_max_unpool(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Elements written into zeros, which lie in a row; a larger result has more zeros behind them along each axis."""
    x, places = (lowering.value(required(kernel, position)) for position in (0, 1))
    shape, final, count = _pooled_shape(kernel), given_shape(kernel), (math.prod(x.shape),)
    size = math.prod(shape)
    wanted(0 < size <= MOST_ROWS, RejectCode.SHAPE, f"from 1 to {MOST_ROWS} elements", f"has {size}")
    zeros = lowering.array(np.zeros(size, x.dtype))
    numbers = as_model(as_int32(lowering, lowering.in_order(places)))
    where = never_negative(lowering, reshaped(lowering, numbers, count), size)
    what = lowering.in_order(reshaped(lowering, x, count))
    pooled = reshaped(lowering, as_model(combined(lowering, zeros, where, what, "none", 0)), shape)
    if shape == final:
        return pooled
    return padded(lowering, pooled, [(0, more - dim) for dim, more in zip(shape, final, strict=True)])


def _pooled_shape(kernel: Kernel) -> Shape:
    """Of the image that the pool was of, as far as its windows reach."""
    found, (batch, channels, *sizes) = attributes_of(kernel), required(kernel, 0).shape
    rank = len(sizes)
    strides, pads = found.get("strides", (1,) * rank), found.get("pads", (0,) * 2 * rank)
    windows = zip(sizes, strides, found["kernel_shape"], pads[:rank], pads[rank:], strict=True)
    return (batch, channels, *((n - 1) * step + reach - before - after for n, step, reach, before, after in windows))


LOWERINGS = {"ai.onnx.MaxUnpool": lower_max_unpool}
