"""ExpFusion: one lookup, base ** (scale * x + shift)."""

from __future__ import annotations

import math

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import ExpFusion
from ...semantics.operands import primitive_of
from ..device.instructions.lookup import Function, Lookup
from ..ir.builder import Builder
from ..profiles import Profile
from ._unary import check_unary, lower_lookup
from .gate import check_range
from .quantized.elementwise import by_table
from .record import NpuOperator

NATURAL_BASE = -1.0
"""The value of ``base`` that means e."""


def check_exp_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
    """NOTE: MindSpore Lite's NPU ignores base, scale and shift."""
    base = primitive_of(kernel, ExpFusion).base
    return check_unary(kernel, profile) or _check_base(base) or check_range(kernel, profile)


def _check_base(base: float) -> Rejected | None:
    if base == NATURAL_BASE or (base > 0.0 and math.isfinite(base)):
        return None
    return Rejected.by_rule(RejectCode.ATTRIBUTE, "base must be positive, or -1 for e", f"is {base:g}")


def lower_exp_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits exp(factor * x + addend), with the base's logarithm in both."""
    primitive = primitive_of(kernel, ExpFusion)
    logarithm = 1.0 if primitive.base == NATURAL_BASE else math.log(primitive.base)
    lookup = Lookup(Function.EXP, (primitive.scale * logarithm, primitive.shift * logarithm))
    lower_lookup(kernel, builder, lookup)


OPERATOR = NpuOperator(
    "ExpFusion",
    check_exp_fusion,
    lower_exp_fusion,
    takes="real",
    condition="for a positive base, or -1, which means e",
    quantized=by_table(check_exp_fusion, lower_exp_fusion),
)
