"""Quotients and remainders, rounded one way or another; integers by constants alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....delegate import Kernel
from ....semantics.operands import required
from ..lowering import Lowering
from ..term import Lowered, Shape, Term
from .elementwise import BOOL, cast, check_divisor, physical_shape, together, unary

FLOAT32 = np.dtype(np.float32)


def lower_floor_div(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``floor(a / b)``."""
    return _each(kernel, lowering, _floor_div)


def lower_floor_mod(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``a`` less the multiple of ``b`` below it; the result has the sign of ``b``."""
    return _each(kernel, lowering, _floor_mod)


def lower_mod(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``a`` less the multiple of ``b`` next to it toward 0; the result has the sign of ``a``."""
    return _each(kernel, lowering, _remainder)


def _each(kernel: Kernel, lowering: Lowering, function: Callable[[Lowering, Term, Term, Shape], Term]) -> Lowered:
    """A function of two operands, broadcast; halves are computed in float32."""
    check_divisor(required(kernel, 1))
    values = [lowering.value(required(kernel, position)) for position in (0, 1)]
    (a, b), order, shape = together(lowering, values)
    own = a.dtype
    wide = FLOAT32 if own == np.float16 else own
    y = function(lowering, cast(lowering, a, wide), cast(lowering, b, wide), physical_shape(shape, order))
    return Lowered(shape, own, order, cast(lowering, y, own))


def _floor_div(lowering: Lowering, a: Term, b: Term, shape: Shape) -> Term:
    if a.dtype.kind == "f":
        return unary(lowering, "Floor", lowering.emit("Div", [a, b], a.dtype, shape))
    rest = _floor_mod(lowering, a, b, shape)
    whole = lowering.emit("Sub", [a, rest], a.dtype, shape)
    return lowering.emit("Div", [whole, b], a.dtype, shape)


def _remainder(lowering: Lowering, a: Term, b: Term, shape: Shape) -> Term:
    return lowering.emit("Mod", [a, b], a.dtype, shape, fmod=1)


def _floor_mod(lowering: Lowering, a: Term, b: Term, shape: Shape) -> Term:
    if a.dtype.kind != "f":
        return lowering.emit("Mod", [a, b], a.dtype, shape, fmod=0)
    rest = _remainder(lowering, a, b, shape)
    zero = lowering.scalar(0, a.dtype)
    signs = [lowering.emit("Less", [term, zero], BOOL, term.shape) for term in (rest, b)]
    other = lowering.emit("Xor", signs, BOOL, shape)
    some = unary(lowering, "Not", lowering.emit("Equal", [rest, zero], BOOL, shape))
    moved = lowering.emit("And", [other, some], BOOL, shape)
    more = lowering.emit("Add", [rest, b], a.dtype, shape)
    return lowering.emit("Where", [moved, more, rest], a.dtype, shape)


LOWERINGS = {"FloorDiv": lower_floor_div, "FloorMod": lower_floor_mod, "Mod": lower_mod}
