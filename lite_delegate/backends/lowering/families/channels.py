"""Operators with a number for each channel: scales, biases, normalizations by given statistics."""

from __future__ import annotations

import math

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.primitives import LRN, BatchNorm, FusedBatchNorm, ScaleFusion
from ....semantics.operands import normalized, operand, primitive_of, required
from ....tensors.tensor import Tensor
from ..lowering import Lowering, wanted
from ..term import Lowered, Term
from .elementwise import as_it_lies, cast, together, unary
from .fused import fused
from .reshaping import reshaped
from .results import like
from .windows import NCHW

MOST_DEVIATIONS = 64
"""A sum of numbers so many deviations large costs six bits of twenty-four."""


def lower_scale_fusion(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``x * scale + offset``, laid along the axes from one on."""
    primitive, x = primitive_of(kernel, ScaleFusion), lowering.value(required(kernel, 0))
    start, offset = normalized(primitive.axis, x.rank), operand(kernel, 2)
    y = _with(lowering, "Mul", x, _laid(lowering, x, required(kernel, 1), start))
    if offset is not None:
        y = _with(lowering, "Add", y, _laid(lowering, x, offset, start))
    return like(y, fused(lowering, as_it_lies(lowering, y), primitive.activation_type))


def _laid(lowering: Lowering, x: Lowered, tensor: Tensor, start: int) -> Lowered:
    value = in_type(lowering, lowering.value(tensor), x)
    return reshaped(lowering, value, (*value.shape, *(1,) * (x.rank - start - value.rank)))


def in_type(lowering: Lowering, value: Lowered, x: Lowered) -> Lowered:
    """A tensor in the element type of another."""
    return like(value, cast(lowering, as_it_lies(lowering, value), x.dtype)) if value.dtype != x.dtype else value


def _with(lowering: Lowering, op: str, x: Lowered, y: Lowered) -> Lowered:
    """An operator of two operands, broadcast to the first's shape."""
    terms, order, shape = together(lowering, (x, y))
    wanted(shape == x.shape, RejectCode.SHAPE, "parameters that fit the input", f"are {y.shape}")
    physical = tuple(shape[axis] for axis in order)
    return Lowered(shape, x.dtype, order, lowering.emit(op, terms, x.dtype, physical))


def lower_bias_add(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``x + bias`` along the last axis."""
    x, bias = (lowering.value(required(kernel, position)) for position in (0, 1))
    return _with(lowering, "Add", x, in_type(lowering, bias, x))


def lower_batch_norm(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``(x - mean) / sqrt(variance + epsilon)`` for each channel."""
    x, mean, variance = (lowering.value(required(kernel, position)) for position in range(3))
    mean, variance = (in_type(lowering, value, x) for value in (mean, variance))
    return _normalized(lowering, x, mean, variance, primitive_of(kernel, BatchNorm).epsilon, None)


def lower_fused_batch_norm(kernel: Kernel, lowering: Lowering) -> list[Lowered]:
    """``(x - mean) / sqrt(variance + epsilon) * scale + offset``; then the four parameters as they are."""
    x, *given = (lowering.value(required(kernel, position)) for position in range(5))
    scale, offset, mean, variance = (in_type(lowering, value, x) for value in given)
    y = _normalized(lowering, x, mean, variance, primitive_of(kernel, FusedBatchNorm).epsilon, scale)
    return [_with(lowering, "Add", y, offset), *given][: len(kernel.outputs)]


def _normalized(
    lowering: Lowering, x: Lowered, mean: Lowered, variance: Lowered, epsilon: float, scale: Lowered | None
) -> Lowered:
    """``(x - mean) / sqrt(variance + epsilon) * scale``, by a product with one factor where that is as good."""
    y = _with(lowering, "Sub", x, mean)
    if _is_far(mean, variance, epsilon):
        y = _with(lowering, "Div", y, _deviation(lowering, variance, epsilon, inverse=False))
        return y if scale is None else _with(lowering, "Mul", y, scale)
    factor = _deviation(lowering, variance, epsilon, inverse=True)
    return _with(lowering, "Mul", y, factor if scale is None else _with(lowering, "Mul", factor, scale))


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def _is_far(mean: Lowered, variance: Lowered, epsilon: float) -> bool:
    """Whether a mean is so many deviations from 0 that a sum with ``-mean * factor`` loses digits.

    Runtimes make ``x * factor + (-mean * factor)`` of a difference and a product. They make nothing of a quotient.
    """
    if mean.constant is None or variance.constant is None:
        return False
    deviations = np.abs(mean.constant) / np.sqrt(variance.constant.astype(np.float64) + epsilon)
    return not bool((deviations <= MOST_DEVIATIONS).all())


def _deviation(lowering: Lowering, variance: Lowered, epsilon: float, *, inverse: bool) -> Lowered:
    """``sqrt(variance + epsilon)`` or its inverse, in float32 for halves, which may not hold epsilon."""
    wide = cast(lowering, as_it_lies(lowering, variance), _wide(variance))
    moved = lowering.emit("Add", [wide, lowering.scalar(epsilon, wide.dtype)], wide.dtype, wide.shape)
    root = unary(lowering, "Sqrt", moved)
    y = unary(lowering, "Reciprocal", root) if inverse else root
    return like(variance, cast(lowering, y, variance.dtype))


def _wide(value: Lowered) -> np.dtype[np.generic]:
    return np.dtype(np.float32) if value.dtype == np.float16 else value.dtype


def lower_prelu_fusion(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``x`` above 0, else ``slope * x``, a slope for all or for each channel."""
    x, slope = (lowering.value(required(kernel, position)) for position in (0, 1))
    count = math.prod(slope.shape)
    flat = reshaped(lowering, slope, () if count == 1 else (count,))
    return _with(lowering, "PRelu", x, in_type(lowering, flat, x))


def lower_lrn(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``x`` over a power of the sum of squares of the channels around it."""
    primitive, x = primitive_of(kernel, LRN), lowering.value(required(kernel, 0))
    image = x if x.rank == len(NCHW) else reshaped(lowering, x, (math.prod(x.shape[:-1]), 1, 1, x.shape[-1]))
    source: Term = lowering.in_order(image, NCHW)
    fits = primitive.alpha > 0 and primitive.beta > 0
    found = f"are {primitive.alpha} and {primitive.beta}"
    wanted(fits, RejectCode.ATTRIBUTE, "alpha and beta must be positive", found)
    size = 2 * primitive.depth_radius + 1
    attributes = {"alpha": primitive.alpha * size, "beta": primitive.beta, "bias": primitive.bias}
    y = lowering.emit("LRN", [source], x.dtype, source.shape, size=size, **attributes)
    return reshaped(lowering, Lowered(image.shape, x.dtype, NCHW, y), x.shape)


LOWERINGS = {
    "ScaleFusion": lower_scale_fusion,
    "BiasAdd": lower_bias_add,
    "BatchNorm": lower_batch_norm,
    "FusedBatchNorm": lower_fused_batch_norm,
    "PReLUFusion": lower_prelu_fusion,
    "LRN": lower_lrn,
}
