"""Quantized SubFusion: a difference at a common scale."""

from __future__ import annotations

from ....delegate import Kernel
from ....ir.primitives import SubFusion
from ...ir.builder import Builder
from ...ir.lowering import Lowering
from ...semantics.operands import primitive_of
from ._sum import lower_sum


def lower_sub_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the difference."""
    lower_sum(kernel, builder, primitive_of(kernel, SubFusion).activation_type, subtract=True)


LOWERING = Lowering("SubFusion", lower_sub_fusion)
