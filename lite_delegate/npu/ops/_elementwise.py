"""What lowering element-wise operators has in common."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.enums import ActivationType
from ..activations import FUSED
from ..compiler import Builder, Lowering
from ..device.binary import Binary, BinaryFunction
from ..device.lookup import Function, Lookup
from ..operands import required


def lower_lookup(kernel: Kernel, builder: Builder, lookup: Lookup) -> None:
    """One table lookup."""
    x, out = required(kernel, 0), kernel.outputs[0]
    builder.define(out, lookup, [builder.read(x)])


def unary(op_type: str, function: Function) -> Lowering:
    """The lowering of an operator without attributes that is one function."""

    def lower(kernel: Kernel, builder: Builder) -> None:
        lower_lookup(kernel, builder, Lookup(function))

    return Lowering(op_type, lower)


def lower_binary(kernel: Kernel, builder: Builder, function: BinaryFunction, activation: ActivationType) -> None:
    """A function of two broadcast operands, both of the output's rank: the lower one gets leading ones."""
    operands, out = [required(kernel, 0), required(kernel, 1)], kernel.outputs[0]
    rank = len(out.shape)
    buffers = [builder.read(t, rank) for t in operands]
    builder.define(out, Binary(function, FUSED[activation]), buffers)


def binary(op_type: str, function: BinaryFunction) -> Lowering:
    """The lowering of an operator without attributes that is one function of two operands."""

    def lower(kernel: Kernel, builder: Builder) -> None:
        lower_binary(kernel, builder, function, ActivationType.NO_ACTIVATION)

    return Lowering(op_type, lower)
