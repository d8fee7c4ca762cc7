"""Quantized functions of single elements: one table of 256 entries each.

An entry is the nearest integer to the function's value, so a result is off by half a step of the output's scale, and
by what float32 adds.
"""

from __future__ import annotations

from ....delegate import Kernel
from ...ir.builder import Builder
from ...ir.lowering import Lowering
from ...semantics.operands import required
from ._tables import function_table

ELEMENTWISE = (
    *("Abs", "Activation", "Ceil", "Clip", "Cos", "Elu", "Erf", "ExpFusion", "Floor", "LeakyRelu", "Log", "Log1p"),
    *("Neg", "Reciprocal", "Round", "Rsqrt", "Sin", "Sqrt", "Square"),
)
"""Operators whose result depends on one element of the first input and on attributes alone."""


def by_table(lowering: Lowering) -> Lowering:
    """The quantized form of an operator of ``ELEMENTWISE``."""

    def lower(kernel: Kernel, builder: Builder) -> None:
        builder.define(kernel.outputs[0], function_table(kernel, lowering), [builder.read(required(kernel, 0))])

    return Lowering(lowering.op_type, lower)
