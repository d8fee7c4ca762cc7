"""LogicalNot: one logical function."""

from __future__ import annotations

from ...delegate import Kernel
from ..compiler import Builder, Lowering
from ..device.logic import Logical, LogicalFunction
from ..operands import required


def lower_logical_not(kernel: Kernel, builder: Builder) -> None:
    """Emits the function."""
    builder.define(kernel.outputs[0], Logical(LogicalFunction.NOT), [builder.read(required(kernel, 0))])


LOWERING = Lowering("LogicalNot", lower_logical_not)
