"""Quantized integers: from the real numbers that they stand for, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...delegate import RejectCode
from ...semantics.quantization import Parameters, is_sound
from .emitter import Spec
from .lowering import Lowering, wanted
from .term import Dtype, Lowered, Term

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


def dequantized(lowering: Lowering, value: Lowered, parameters: Sequence[Parameters], axis: int) -> Lowered:
    """The real numbers, float32, that integers stand for; several parameters lie along an axis."""
    term = lowering.in_order(value, value.order)
    place = value.order.index(axis) if len(parameters) > 1 else 0
    return Lowered(value.shape, FLOAT32, value.order, dequantized_term(lowering, term, parameters, place))


def dequantized_term(lowering: Lowering, term: Term, parameters: Sequence[Parameters], place: int) -> Term:
    """A dequantized term, in the backend's order of axes."""
    operands = [term, *_scale_and_zero(lowering, parameters, term.dtype)]
    attributes = {"axis": place} if len(parameters) > 1 else {}
    return lowering.emit("DequantizeLinear", operands, FLOAT32, term.shape, **attributes)


def quantized(
    lowering: Lowering, value: Lowered, parameters: Sequence[Parameters], dtype: Dtype, axis: int = 0
) -> Lowered:
    """The integers that stand for real numbers, by the operator that runtimes fuse; it rounds halves to even."""
    term = lowering.in_order(value, value.order)
    operands = [term, *_scale_and_zero(lowering, parameters, dtype)]
    attributes = {"axis": value.order.index(axis)} if len(parameters) > 1 else {}
    made = lowering.emit("QuantizeLinear", operands, dtype, term.shape, **attributes)
    return Lowered(value.shape, dtype, value.order, made)


def rounded(
    lowering: Lowering, value: Lowered, parameters: Sequence[Parameters], dtype: Dtype, axis: int = 0
) -> Lowered:
    """The integers that stand for real numbers, halves rounded away from zero as kernels here do."""
    term = lowering.in_order(value, value.order)
    shape, limits = term.shape, np.iinfo(dtype.name)
    _scale_and_zero(lowering, parameters, dtype)
    spread = [1] * value.rank
    if len(parameters) > 1:
        spread[value.order.index(axis)] = len(parameters)
    wide = FLOAT64 if has_doubles(lowering) else FLOAT32
    scale, zero = (
        lowering.small(np.array([getattr(each, name) for each in parameters], wide).reshape(spread))
        for name in ("scale", "zero_point")
    )
    y = term if term.dtype == wide else lowering.emit("Cast", [term], wide, shape)
    y = lowering.emit("Add", [lowering.emit("Div", [y, scale], wide, shape), zero], wide, shape)
    y = (_away_by_sign if wide == FLOAT64 else _away_by_choice)(lowering, y)
    bounds = [lowering.scalar(float(bound), wide) for bound in (limits.min, limits.max)]
    y = lowering.emit("Clip", [y, *bounds], wide, shape)
    return Lowered(value.shape, dtype, value.order, lowering.emit("Cast", [y], dtype, shape))


def _away_by_sign(lowering: Lowering, y: Term) -> Term:
    """Halves rounded away from zero. The sign matters from a half on, where it equals ``clip(2 * y, -1, 1)``."""
    away = lowering.emit("Add", [lowering.emit("Abs", [y], *_of(y)), lowering.scalar(0.5, y.dtype)], *_of(y))
    double = lowering.emit("Mul", [y, lowering.scalar(2.0, y.dtype)], *_of(y))
    sign = lowering.emit("Clip", [double, *(lowering.scalar(end, y.dtype) for end in (-1.0, 1.0))], *_of(y))
    return lowering.emit("Mul", [lowering.emit("Floor", [away], *_of(y)), sign], *_of(y))


def _away_by_choice(lowering: Lowering, y: Term) -> Term:
    """Rounding with halves away from zero, for OpenVINO. It has no quick Sign, and moves scales behind Clip, which
    changes the sign.

    ONNX Runtime would take twice as long for it.
    """
    half = lowering.scalar(0.5, y.dtype)
    up = lowering.emit("Floor", [lowering.emit("Add", [y, half], *_of(y))], *_of(y))
    down = lowering.emit("Ceil", [lowering.emit("Sub", [y, half], *_of(y))], *_of(y))
    is_below = lowering.emit("Less", [y, lowering.scalar(0, y.dtype)], np.dtype(bool), y.shape)
    return lowering.emit("Where", [is_below, down, up], *_of(y))


def _of(term: Term) -> Spec:
    """Element type and shape of a term."""
    return term.dtype, term.shape


def has_doubles(lowering: Lowering) -> bool:
    """Whether the backend computes in float64."""
    one = Term(None, FLOAT32, (1,))
    return lowering.can("Cast", [one], [(FLOAT64, (1,))])


def _scale_and_zero(lowering: Lowering, parameters: Sequence[Parameters], dtype: Dtype) -> list[Term]:
    limits = np.iinfo(dtype.name)
    for each in parameters:
        wanted(is_sound(each), RejectCode.DTYPE, "scales are positive", f"is {each.scale}")
        held = limits.min <= each.zero_point <= limits.max
        wanted(held, RejectCode.DTYPE, f"zero points of {dtype} are in its range", f"is {each.zero_point}")
    scales = np.array([each.scale for each in parameters], np.float32)
    zeros = np.array([each.zero_point for each in parameters], dtype)
    shape = () if len(parameters) == 1 else (len(parameters),)
    return [lowering.small(scales.reshape(shape)), lowering.array(zeros.reshape(shape))]
