"""DivFusion: one binary instruction with its activation."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import DivFusion
from ..device.binary import BinaryFunction
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import primitive_of
from ._elementwise import lower_binary


def lower_div_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction; operands broadcast."""
    lower_binary(kernel, builder, BinaryFunction.DIV, primitive_of(kernel, DivFusion).activation_type)


LOWERING = Lowering("DivFusion", lower_div_fusion)
