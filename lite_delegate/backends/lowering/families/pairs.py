"""TensorFlow Lite's operators of two operands that the schema has no number for: angles, and bits of integers."""

from __future__ import annotations

import math

import numpy as np

from ....delegate import Kernel
from ....semantics.operands import required
from ..lowering import Lowering
from ..term import Lowered, Shape, Term
from .elementwise import BOOL, affine, physical_shape, together, unary
from .places import as_places


def lower_atan2(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The angle of a point: the angle of the smaller coordinate over the larger one, brought to the point's eighth.

    So the quotient lies between 0 and 1, and small angles keep their digits.
    """
    values = [lowering.value(required(kernel, position)) for position in (0, 1)]
    (y, x), order, shape = together(lowering, values)
    dtype, physical = y.dtype, physical_shape(shape, order)

    def chosen(flags: Term, yes: Term, no: Term) -> Term:
        return lowering.emit("Where", [flags, yes, no], dtype, physical)

    up, across = (unary(lowering, "Abs", term) for term in (y, x))
    small, large = (lowering.emit(op, [up, across], dtype, physical) for op in ("Min", "Max"))
    ratio = lowering.emit("Div", [small, large], dtype, physical)
    equal = lowering.emit("Equal", [small, large], BOOL, physical)
    nothing = lowering.emit("Equal", [large, lowering.scalar(0, dtype)], BOOL, physical)
    ratio = chosen(nothing, small, chosen(equal, lowering.scalar(1, dtype), ratio))  # both may be infinite, or 0
    angle = unary(lowering, "Atan", ratio)
    steep = lowering.emit("Greater", [up, across], BOOL, physical)
    angle = chosen(steep, affine(lowering, angle, -1.0, math.pi / 2), angle)
    angle = chosen(_is_negative(lowering, x), affine(lowering, angle, -1.0, math.pi), angle)
    return Lowered(shape, dtype, order, chosen(_is_negative(lowering, y), unary(lowering, "Neg", angle), angle))


def _is_negative(lowering: Lowering, x: Term) -> Term:
    """True also for the 0 below 0, one over which is infinite."""
    zero = lowering.scalar(0, x.dtype)
    sides = [lowering.emit("Less", [each, zero], BOOL, x.shape) for each in (x, unary(lowering, "Reciprocal", x))]
    return lowering.emit("Or", sides, BOOL, x.shape)


def lower_bitwise_xor(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The bits that differ between the operands."""
    values = [lowering.value(required(kernel, position)) for position in (0, 1)]
    terms, order, shape = together(lowering, values)
    y = lowering.emit("BitwiseXor", terms, terms[0].dtype, physical_shape(shape, order))
    return Lowered(shape, y.dtype, order, y)


def lower_right_shift(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The integers moved down by bits, or divided by powers of 2 where the backend moves no signed ones, as in ONNX."""
    values = [lowering.value(required(kernel, position)) for position in (0, 1)]
    (a, b), order, shape = together(lowering, values)
    dtype, physical, bits = a.dtype, physical_shape(shape, order), 8 * a.dtype.itemsize
    ends = [lowering.scalar(end, b.dtype) for end in (0, bits - 1)]
    steps = lowering.emit("Clip", [b, *ends], b.dtype, b.shape)
    if lowering.can("BitShift", [a, steps], [(dtype, physical)], direction="RIGHT"):
        return Lowered(shape, dtype, order, lowering.emit("BitShift", [a, steps], dtype, physical, direction="RIGHT"))
    return Lowered(shape, dtype, order, _divided(lowering, a, as_places(lowering, steps), physical))


def _divided(lowering: Lowering, a: Term, places: Term, shape: Shape) -> Term:
    """Quotients of signed integers by powers of 2, rounded down; for negative ``a`` from the non-negative ``-1 - a``.

    By two powers one after the other, as the largest does not fit into the type.
    """
    dtype, bits = a.dtype, 8 * a.dtype.itemsize
    halves = [[each // 2 for each in range(bits)], [each - each // 2 for each in range(bits)]]
    below = lowering.emit("Less", [a, lowering.scalar(0, dtype)], BOOL, a.shape)
    y = _turned(lowering, below, a)
    for half in halves:
        powers = lowering.small(np.array([1 << each for each in half], dtype))
        divisors = lowering.emit("Gather", [powers, places], dtype, places.shape, axis=0)
        y = lowering.emit("Div", [y, divisors], dtype, shape)
    return _turned(lowering, below, y)


def _turned(lowering: Lowering, flags: Term, a: Term) -> Term:
    """``-1 - a`` where flags say so."""
    turned = lowering.emit("Sub", [lowering.scalar(-1, a.dtype), a], a.dtype, a.shape)
    return lowering.emit("Where", [flags, turned, a], a.dtype, a.shape)


LOWERINGS = {
    "tflite.ATAN2": lower_atan2,
    "tflite.BITWISE_XOR": lower_bitwise_xor,
    "tflite.RIGHT_SHIFT": lower_right_shift,
}
