"""Casts to element types that numpy does not have: their elements are held in a wider type, rounded."""

from __future__ import annotations

import math

import numpy as np

from ....delegate import Kernel, RejectCode
from ....semantics.operands import required
from ..emitter import THROUGH
from ..integers import FLOAT32
from ..lowering import Lowering, wanted
from ..term import Lowered, Term
from .elementwise import as_it_lies, cast
from .onnx_operators import attributes_of
from .results import given_dtype, like

BOOL = np.dtype(bool)
BFLOAT16 = 16
"""ONNX's number of the type."""
SHIFT = 2.0**16
"""float32 has 24 bits of mantissa, bfloat16 8."""


def lower_narrowing_cast(kernel: Kernel, lowering: Lowering) -> Lowered:
    """By the casts there and back, or for bfloat16 by sums that round alike."""
    found, dtype = attributes_of(kernel), given_dtype(kernel)
    to, saturates = int(found["to"]), int(found.get("saturate", 1))
    wanted(dtype == FLOAT32, RejectCode.DTYPE, "runtimes have no kernels for integers of 4 bits and less")
    source = lowering.value(required(kernel, 0))
    x = cast(lowering, as_it_lies(lowering, source), FLOAT32)
    attributes = {THROUGH: to, "saturate": saturates}
    if to == BFLOAT16 and not lowering.can("Cast", [x], [(FLOAT32, x.shape)], **attributes):
        return like(source, _to_bfloat16(lowering, x))
    return like(source, lowering.emit("Cast", [x], FLOAT32, x.shape, **attributes))


def _to_bfloat16(lowering: Lowering, x: Term) -> Term:
    """Elements rounded to 8 bits of mantissa, halves to even.

    The last bit of ``x - small``, with ``small = x / 2**16``, is at the place of the eighth bit of ``small``, so both
    are rounded at it; the following subtraction from ``x`` is exact (Dekker's splitting, Numerische Mathematik 18,
    1971). Numbers below 2**-110 lose bits in ``small``; infinities stay.
    """

    def made(op: str, a: Term, b: Term) -> Term:
        return lowering.emit(op, [a, b], FLOAT32, x.shape)

    small = made("Mul", x, lowering.scalar(1 / SHIFT, FLOAT32))
    y = made("Mul", made("Sub", x, made("Sub", x, small)), lowering.scalar(SHIFT, FLOAT32))
    size, infinite = lowering.emit("Abs", [x], FLOAT32, x.shape), lowering.scalar(math.inf, FLOAT32)
    is_infinite = lowering.emit("Equal", [size, infinite], BOOL, x.shape)
    return lowering.emit("Where", [is_infinite, x, y], FLOAT32, x.shape)


LOWERINGS = {"ai.onnx.Cast": lower_narrowing_cast}
