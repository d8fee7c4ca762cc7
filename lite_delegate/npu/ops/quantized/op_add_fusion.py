"""Quantized AddFusion: a sum at a common scale."""

from __future__ import annotations

from ....delegate import Kernel
from ....ir.primitives import AddFusion
from ...ir.builder import Builder
from ...ir.lowering import Lowering
from ...semantics.operands import primitive_of
from ._sum import lower_sum


def lower_add_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the sum."""
    lower_sum(kernel, builder, primitive_of(kernel, AddFusion).activation_type, subtract=False)


LOWERING = Lowering("AddFusion", lower_add_fusion)
