"""Eltwise: one binary instruction, product, sum or maximum."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.enums import ActivationType, EltwiseMode
from ...ir.primitives import Eltwise
from ..device.binary import BinaryFunction
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import primitive_of
from ._elementwise import lower_binary

MODES: dict[EltwiseMode, BinaryFunction] = {
    EltwiseMode.PROD: BinaryFunction.MUL,
    EltwiseMode.SUM: BinaryFunction.ADD,
    EltwiseMode.MAXIMUM: BinaryFunction.MAXIMUM,
}


def lower_eltwise(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction for the mode."""
    lower_binary(kernel, builder, MODES[primitive_of(kernel, Eltwise).mode], ActivationType.NO_ACTIVATION)


LOWERING = Lowering("Eltwise", lower_eltwise)
