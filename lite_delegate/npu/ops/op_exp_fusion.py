"""ExpFusion: one lookup, base ** (scale * x + shift)."""

from __future__ import annotations

import math

from ...delegate import Kernel
from ...ir.primitives import ExpFusion
from ..device.lookup import Function, Lookup
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import primitive_of
from ._elementwise import lower_lookup

NATURAL_BASE = -1.0
"""The value of ``base`` that means e."""


def lower_exp_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits exp(factor * x + addend), with the base's logarithm in both."""
    primitive = primitive_of(kernel, ExpFusion)
    logarithm = 1.0 if primitive.base == NATURAL_BASE else math.log(primitive.base)
    lookup = Lookup(Function.EXP, (primitive.scale * logarithm, primitive.shift * logarithm))
    lower_lookup(kernel, builder, lookup)


LOWERING = Lowering("ExpFusion", lower_exp_fusion)
