"""Normalizations by statistics of the input itself."""

from __future__ import annotations

import math

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.primitives import GroupNormFusion, InstanceNorm, L2NormalizeFusion, LpNormalization
from ....semantics.operands import normalized, primitive_of, required
from ..lowering import Lowering, wanted
from ..term import Lowered
from .channels import in_type
from .elementwise import BOOL, as_it_lies, unary
from .fused import fused_or_none
from .reshaping import reshaped
from .results import as_model, like

USUAL_EPSILON = 1e-6
"""The epsilon in place of an epsilon that is not above 0."""


def lower_instance_norm(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Each channel of each batch by its mean and variance; channels are the last axis."""
    primitive = primitive_of(kernel, InstanceNorm)
    x, gamma, beta = (lowering.value(required(kernel, position)) for position in range(3))
    wanted(x.rank >= 3, RejectCode.RANK, "an instance norm takes 3 dimensions and more", f"has {x.rank}")
    order = (0, x.rank - 1, *range(1, x.rank - 1))
    source = lowering.in_order(x, order)
    parameters = [lowering.in_order(in_type(lowering, value, x)) for value in (gamma, beta)]
    operands = [source, *parameters]
    y = lowering.emit("InstanceNormalization", operands, x.dtype, source.shape, epsilon=primitive.epsilon)
    return Lowered(x.shape, x.dtype, order, y)


def lower_group_norm(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Each group of channels of each batch by its mean and variance; channels are axis 1."""
    primitive = primitive_of(kernel, GroupNormFusion)
    x = lowering.value(required(kernel, 0))
    groups = (x.shape[0], primitive.num_groups, math.prod(x.shape[1:]) // primitive.num_groups)
    ones = lowering.array(np.ones(groups[2], x.dtype))
    operands = [lowering.in_order(reshaped(lowering, x, groups)), ones]
    y = lowering.emit("LayerNormalization", operands, x.dtype, groups, axis=2, epsilon=primitive.epsilon)
    y = lowering.in_order(reshaped(lowering, as_model(y), x.shape))
    for op, position in (("Mul", 1), ("Add", 2)):
        value = in_type(lowering, lowering.value(required(kernel, position)), x)
        wide = lowering.in_order(reshaped(lowering, value, (x.shape[1], *(1,) * (x.rank - 2))))
        y = lowering.emit(op, [y, wide], x.dtype, x.shape)
    return as_model(y)


def lower_l2_normalize(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``x / sqrt(max(sum(x * x), epsilon))`` along axes."""
    primitive, x = primitive_of(kernel, L2NormalizeFusion), lowering.value(required(kernel, 0))
    axes = [normalized(axis, x.rank) for axis in primitive.axis or range(x.rank)]
    source = as_it_lies(lowering, x)
    places = sorted({x.order.index(axis) for axis in axes})
    kept = tuple(1 if place in places else dim for place, dim in enumerate(source.shape))
    sums = lowering.emit("ReduceSumSquare", [source, lowering.ints(places)], x.dtype, kept, keepdims=1)
    epsilon = primitive.epsilon if primitive.epsilon > 0 else USUAL_EPSILON
    least = lowering.emit("Max", [sums, lowering.scalar(epsilon, x.dtype)], x.dtype, kept)
    y = lowering.emit("Div", [source, unary(lowering, "Sqrt", least)], x.dtype, source.shape)
    return like(x, fused_or_none(lowering, y, primitive.activation_type))


def lower_lp_normalization(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``x`` over its norm along an axis, 0 where that is 0."""
    primitive, x = primitive_of(kernel, LpNormalization), lowering.value(required(kernel, 0))
    wanted(primitive.p in (1, 2), RejectCode.ATTRIBUTE, "p must be 1 or 2", f"is {primitive.p}")
    source, place = as_it_lies(lowering, x), x.order.index(normalized(primitive.axis, x.rank))
    kept = (*source.shape[:place], 1, *source.shape[place + 1 :])
    norm = lowering.emit(f"ReduceL{primitive.p}", [source, lowering.ints([place])], x.dtype, kept, keepdims=1)
    none = lowering.emit("Equal", [norm, lowering.scalar(0, x.dtype)], BOOL, kept)
    norm = lowering.emit("Where", [none, lowering.scalar(1, x.dtype), norm], x.dtype, kept)
    return like(x, lowering.emit("Div", [source, norm], x.dtype, source.shape))


LOWERINGS = {
    "InstanceNorm": lower_instance_norm,
    "GroupNormFusion": lower_group_norm,
    "L2NormalizeFusion": lower_l2_normalize,
    "LpNormalization": lower_lp_normalization,
}
