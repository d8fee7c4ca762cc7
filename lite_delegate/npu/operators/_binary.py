"""Shared by operators of two inputs that broadcast: the claim, and one instruction on both inputs."""

from __future__ import annotations

from collections.abc import Collection

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.types.data_type import DataType
from ...ir.types.enums import ActivationType
from ...semantics.broadcasting import broadcast_shape
from ...semantics.operands import required, shape_of
from ..device.instructions.binary import Binary, BinaryFunction
from ..device.programs.instruction import Instruction
from ..ir.builder import Builder
from ..profiles import Profile
from ..semantics.activations import FUSED
from .gate import INTEGERS, check_constants, check_fused, check_operands, check_output_shape, check_tensors


def check_binary(
    kernel: Kernel,
    profile: Profile,
    activation: ActivationType = ActivationType.NO_ACTIVATION,
    more_dtypes: Collection[DataType] = INTEGERS,
) -> Rejected | None:
    """Two inputs of one kind that broadcast to the output, which is of that kind too."""
    return (
        check_operands(kernel, 2, 2)
        or check_tensors(kernel, profile, more_dtypes=more_dtypes)
        or check_fused(activation)
        or check_broadcast(kernel)
    )


def check_broadcast(kernel: Kernel) -> Rejected | None:
    """The inputs broadcast to the output. The one of lower rank is given leading ones, so that any ranks are taken."""
    return check_output_shape(kernel, broadcast_shape([shape_of(t) for t in kernel.inputs]))


def check_ranks(kernel: Kernel, profile: Profile) -> Rejected | None:
    """Rejects inputs of two ranks, neither of them a scalar, where the profile wants one rank."""
    ranks = [len(required(kernel, i).shape) for i in (0, 1)]
    if not profile.limits.arithmetic_equal_ranks or ranks[0] == ranks[1] or 0 in ranks:
        return None
    return Rejected.by_rule(
        RejectCode.RANK, "inputs must have equal ranks unless one is a scalar", f"have {ranks[0]}, {ranks[1]}"
    )


def check_divisor(kernel: Kernel) -> Rejected | None:
    """An integer divisor is a constant without zeros: the device has no way to report a division by zero."""
    divisor = required(kernel, 1)
    if divisor.dtype not in INTEGERS:
        return None
    rejected = check_constants(kernel, {1: "an integer divisor"})
    if rejected is not None or divisor.data.all():
        return rejected
    return Rejected.by_rule(RejectCode.ATTRIBUTE, "an integer divisor (input 1) must have no zero", "has one")


def lower_binary(kernel: Kernel, builder: Builder, function: BinaryFunction, activation: ActivationType) -> None:
    """A function of two broadcast operands, with its activation."""
    lower_pair(kernel, builder, Binary(function, FUSED[activation]))


def lower_pair(kernel: Kernel, builder: Builder, instruction: Instruction) -> None:
    """An instruction on two broadcast operands, both of the output's rank: the lower one gets leading ones."""
    operands, out = [required(kernel, 0), required(kernel, 1)], kernel.outputs[0]
    rank = len(out.shape)
    builder.define(out, instruction, [builder.read(t, rank) for t in operands])
