"""LayerNormFusion: normalization over the last axes."""

from __future__ import annotations

import math

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.primitives import LayerNormFusion
from ....semantics.operands import normalized, operand, primitive_of, required
from ..lowering import Lowering, wanted
from ..term import Lowered, Term
from .elementwise import cast
from .reshaping import reshaped
from .results import as_model


def lower_layer_norm_fusion(kernel: Kernel, lowering: Lowering) -> list[Lowered]:
    """``(x - mean) / sqrt(variance + epsilon) * gamma + beta`` over the last axes; mean and variance where wanted."""
    primitive, x = primitive_of(kernel, LayerNormFusion), lowering.value(required(kernel, 0))
    first, gamma = normalized(primitive.begin_norm_axis, x.rank), operand(kernel, 1)
    source = lowering.in_order(x)
    if gamma is None or normalized(primitive.begin_params_axis, x.rank) == first:
        parameters = _parameters(kernel, lowering, x.shape[first:], x)
        y = _normal(lowering, source, first, primitive.epsilon, *parameters)
    else:
        covered = x.shape[normalized(primitive.begin_params_axis, x.rank) :]
        y = _normal(lowering, source, first, primitive.epsilon, *_plain(lowering, x.shape[first:], x))
        for op, term in zip(("Mul", "Add"), _parameters(kernel, lowering, covered, x), strict=True):
            y = lowering.emit(op, [y, term], x.dtype, x.shape)
    return [as_model(y), *_statistics(lowering, source, first)] if len(kernel.outputs) == 3 else [as_model(y)]


def _normal(lowering: Lowering, x: Term, first: int, epsilon: float, scale: Term | None, shift: Term | None) -> Term:
    operands = [x, scale, shift]
    return lowering.emit("LayerNormalization", operands, x.dtype, x.shape, axis=first, epsilon=epsilon)


def _plain(lowering: Lowering, shape: tuple[int, ...], x: Lowered) -> tuple[Term, None]:
    return lowering.array(np.ones(shape, x.dtype)), None


def _parameters(kernel: Kernel, lowering: Lowering, shape: tuple[int, ...], x: Lowered) -> tuple[Term, Term | None]:
    gamma, beta = (operand(kernel, position) for position in (1, 2))
    if gamma is None or beta is None:
        return _plain(lowering, shape, x)
    return _flat(lowering, lowering.value(gamma), shape), _flat(lowering, lowering.value(beta), shape)


def _statistics(lowering: Lowering, x: Term, first: int) -> list[Lowered]:
    """Mean and variance of each group, float16's in float32."""
    wide = x.dtype if x.dtype == np.float64 else np.dtype(np.float32)
    term, axes = cast(lowering, x, wide), lowering.ints(range(first, len(x.shape)))
    kept = (*x.shape[:first], *(1 for _ in x.shape[first:]))
    mean = lowering.emit("ReduceMean", [term, axes], wide, kept, keepdims=1)
    away = lowering.emit("Sub", [term, mean], wide, x.shape)
    square = lowering.emit("Mul", [away, away], wide, x.shape)
    variance = lowering.emit("ReduceMean", [square, axes], wide, kept, keepdims=1)
    own = (as_model(cast(lowering, each, x.dtype)) for each in (mean, variance))
    return [reshaped(lowering, each, x.shape[:first]) for each in own]


def _flat(lowering: Lowering, value: Lowered, shape: tuple[int, ...]) -> Term:
    wanted(math.prod(value.shape) == math.prod(shape), RejectCode.SHAPE, f"parameters of {shape}", f"are {value.shape}")
    return lowering.in_order(reshaped(lowering, value, shape))


LOWERINGS = {"LayerNormFusion": lower_layer_norm_fusion}
