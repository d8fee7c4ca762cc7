"""AddFusion: one binary instruction with its activation."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import AddFusion
from ..device.binary import BinaryFunction
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import primitive_of
from ._elementwise import lower_binary


def lower_add_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction; operands broadcast."""
    lower_binary(kernel, builder, BinaryFunction.ADD, primitive_of(kernel, AddFusion).activation_type)


LOWERING = Lowering("AddFusion", lower_add_fusion)
