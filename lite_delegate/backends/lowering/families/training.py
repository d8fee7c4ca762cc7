"""Normalizations by the statistics of the batch itself, as in training."""

from __future__ import annotations

import math

import numpy as np

from ....delegate import Kernel, RejectCode
from ....semantics.operands import required
from ..lowering import Lowering, wanted
from ..term import Dtype, Lowered, Shape, Term
from .elementwise import affine, as_it_lies, cast, unary
from .onnx_operators import attributes_of
from .reshaping import reshaped
from .results import as_model, like

EPSILON, MOMENTUM = 1e-5, 0.9
"""Where a file says nothing, by ONNX's definition."""


def lower_batch_normalization(kernel: Kernel, lowering: Lowering) -> list[Lowered]:
    """``(x - mean) / sqrt(variance + epsilon) * scale + bias`` by the batch's mean and variance of each channel, and
    running ones, a little nearer to these; of halves in float32.
    """
    x, *given = (lowering.value(required(kernel, position)) for position in range(5))
    found = attributes_of(kernel)
    wanted(found.get("training_mode", 0), RejectCode.ATTRIBUTE, "statistics of the batch, as in training")
    wide = np.dtype(np.float32) if x.dtype == np.float16 else x.dtype
    term = cast(lowering, as_it_lies(lowering, x), wide)
    others = [place for place, axis in enumerate(x.order) if axis != 1]
    shape = tuple(1 if place in others else dim for place, dim in enumerate(term.shape))
    scale, bias, *running = (_laid(lowering, value, wide, shape) for value in given)
    mean, centred = _centred(lowering, term, others, shape)
    variance = _mean(lowering, lowering.emit("Mul", [centred, centred], wide, term.shape), others, shape)
    deviation = unary(lowering, "Sqrt", affine(lowering, variance, 1.0, found.get("epsilon", EPSILON)))
    factor = lowering.emit("Div", [scale, deviation], wide, shape)
    y = lowering.emit("Mul", [centred, factor], wide, term.shape)
    y = lowering.emit("Add", [y, bias], wide, term.shape)
    made = [like(x, cast(lowering, y, x.dtype))]
    kept = found.get("momentum", MOMENTUM)
    for value, old, new in zip(given[2:], running, (mean, variance), strict=True):
        parts = [affine(lowering, old, kept, 0.0), affine(lowering, new, 1 - kept, 0.0)]
        total = cast(lowering, lowering.emit("Add", parts, wide, shape), value.dtype)
        made.append(reshaped(lowering, as_model(total), value.shape))
    return made[: len(kernel.outputs)]


def _laid(lowering: Lowering, value: Lowered, dtype: Dtype, shape: Shape) -> Term:
    """Numbers of channels in the tensor's order of axes."""
    fits = math.prod(value.shape) == math.prod(shape)
    wanted(fits, RejectCode.SHAPE, f"{math.prod(shape)} numbers for the channels", f"are {value.shape}")
    return cast(lowering, lowering.in_order(reshaped(lowering, value, shape)), dtype)


def _centred(lowering: Lowering, x: Term, places: list[int], shape: Shape) -> tuple[Term, Term]:
    """The mean, and the differences from it: computed twice, as the mean of numbers far from 0 loses last digits.

    Chan, Golub and LeVeque, "Algorithms for Computing the Sample Variance" (1983): two passes, corrected.
    """
    mean = _mean(lowering, x, places, shape)
    centred = lowering.emit("Sub", [x, mean], x.dtype, x.shape)
    rest = _mean(lowering, centred, places, shape)
    mean = lowering.emit("Add", [mean, rest], x.dtype, shape)
    return mean, lowering.emit("Sub", [centred, rest], x.dtype, x.shape)


def _mean(lowering: Lowering, x: Term, places: list[int], shape: Shape) -> Term:
    return lowering.emit("ReduceMean", [x, lowering.ints(places)], x.dtype, shape, keepdims=1)


LOWERINGS = {"ai.onnx.BatchNormalization": lower_batch_normalization}
