"""MulFusion: one binary instruction with its activation."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import MulFusion
from ..device.binary import BinaryFunction
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import primitive_of
from ._elementwise import lower_binary


def lower_mul_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction; operands broadcast."""
    lower_binary(kernel, builder, BinaryFunction.MUL, primitive_of(kernel, MulFusion).activation_type)


LOWERING = Lowering("MulFusion", lower_mul_fusion)
