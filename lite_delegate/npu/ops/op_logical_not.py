"""LogicalNot: one logical function."""

from __future__ import annotations

from ...delegate import Kernel
from ..device.logic import Logical, LogicalFunction
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import required


def lower_logical_not(kernel: Kernel, builder: Builder) -> None:
    """Emits the function."""
    builder.define(kernel.outputs[0], Logical(LogicalFunction.NOT), [builder.read(required(kernel, 0))])


LOWERING = Lowering("LogicalNot", lower_logical_not)
