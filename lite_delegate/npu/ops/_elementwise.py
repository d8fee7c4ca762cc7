"""What lowering element-wise operators has in common."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.data_type import DataType
from ...ir.enums import ActivationType
from ..device.binary import Binary, BinaryFunction
from ..device.comparison import Compare, Comparison
from ..device.instruction import Instruction
from ..device.integer import IntegerFunction, IntegerUnary
from ..device.logic import Logical, LogicalFunction
from ..device.lookup import Function, Lookup
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.activations import FUSED
from ..semantics.operands import required


def lower_lookup(kernel: Kernel, builder: Builder, lookup: Lookup) -> None:
    """One table lookup."""
    x, out = required(kernel, 0), kernel.outputs[0]
    builder.define(out, lookup, [builder.read(x)])


def unary(op_type: str, function: Function, of_integers: IntegerFunction | None = None) -> Lowering:
    """The lowering of an operator without attributes that is one function; of int32 ``of_integers``."""

    def lower(kernel: Kernel, builder: Builder) -> None:
        x, out = required(kernel, 0), kernel.outputs[0]
        if of_integers is not None and x.dtype == DataType.INT32:
            builder.define(out, IntegerUnary(of_integers), [builder.read(x)])
        else:
            lower_lookup(kernel, builder, Lookup(function))

    return Lowering(op_type, lower)


def lower_binary(kernel: Kernel, builder: Builder, function: BinaryFunction, activation: ActivationType) -> None:
    """A function of two broadcast operands, with its activation."""
    lower_pair(kernel, builder, Binary(function, FUSED[activation]))


def lower_pair(kernel: Kernel, builder: Builder, instruction: Instruction) -> None:
    """An instruction on two broadcast operands, both of the output's rank: the lower one gets leading ones."""
    operands, out = [required(kernel, 0), required(kernel, 1)], kernel.outputs[0]
    rank = len(out.shape)
    builder.define(out, instruction, [builder.read(t, rank) for t in operands])


def binary(op_type: str, function: BinaryFunction) -> Lowering:
    """The lowering of an operator without attributes that is one function of two operands."""

    def lower(kernel: Kernel, builder: Builder) -> None:
        lower_binary(kernel, builder, function, ActivationType.NO_ACTIVATION)

    return Lowering(op_type, lower)


def comparison(op_type: str, asked: Comparison) -> Lowering:
    """The lowering of an operator that compares two operands."""

    def lower(kernel: Kernel, builder: Builder) -> None:
        lower_pair(kernel, builder, Compare(asked))

    return Lowering(op_type, lower)


def logical(op_type: str, function: LogicalFunction) -> Lowering:
    """The lowering of an operator that is one logical function of two operands."""

    def lower(kernel: Kernel, builder: Builder) -> None:
        lower_pair(kernel, builder, Logical(function))

    return Lowering(op_type, lower)
