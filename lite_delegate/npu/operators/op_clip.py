"""Clip: one lookup, or on integers an exact clamp."""

from __future__ import annotations

import math

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import Clip
from ...ir.types.data_type import DataType
from ...semantics.operands import operand, primitive_of, required
from ..device.instructions.integer import IntegerFunction, IntegerUnary
from ..device.instructions.lookup import Function, Lookup
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import INTEGERS, check_constants, check_operands, check_output_shape, check_tensors
from .record import NpuOperator

LEAST, MOST = -(2**31), 2**31 - 1
"""The range of int32."""


def check_clip(kernel: Kernel, profile: Profile) -> Rejected | None:
    """NOTE: most clamps of real numbers reach the device as Activation."""
    return (
        check_operands(kernel, 1, 3)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=INTEGERS)
        or check_constants(kernel, {1: "min", 2: "max"})
        or check_output_shape(kernel, required(kernel, 0).shape)
        or _check_bounds(kernel)
    )


def _check_bounds(kernel: Kernel) -> Rejected | None:
    low, high = clip_bounds(kernel)
    whole = required(kernel, 0).dtype in INTEGERS
    if not low < high or (whole and any(math.isfinite(b) and b != int(b) for b in (low, high))):
        rule = "min must be below max, and both whole for integers"
        return Rejected.by_rule(RejectCode.ATTRIBUTE, rule, f"are {low} and {high}")
    return None


def clip_bounds(kernel: Kernel) -> tuple[float, float]:
    """(lowest, highest): the constant inputs, else the attributes."""
    primitive = primitive_of(kernel, Clip)
    given = (operand(kernel, 1), operand(kernel, 2))
    low, high = (None if t is None or t.data.size != 1 else float(t.data.item()) for t in given)
    return primitive.min if low is None else low, primitive.max if high is None else high


def lower_clip(kernel: Kernel, builder: Builder) -> None:
    x, out = required(kernel, 0), kernel.outputs[0]
    low, high = clip_bounds(kernel)
    if x.dtype == DataType.INT32:
        bounds = tuple(int(min(max(bound, LEAST), MOST)) for bound in (low, high))
        return builder.define(out, IntegerUnary(IntegerFunction.CLAMP, bounds), [builder.read(x)])
    return builder.define(out, Lookup(Function.CLAMP, (low, high)), [builder.read(x)])


OPERATOR = NpuOperator(
    "Clip",
    check_clip,
    lower_clip,
    takes="real, int32",
    condition="for constant bounds, whole ones for int32; exact on int32",
)
