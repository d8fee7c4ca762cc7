"""BiasAdd: one addition along the channels."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.types.enums import ActivationType
from ...semantics.operands import required
from ..device.instructions.binary import BinaryFunction
from ..ir.builder import Builder
from ..profiles import Profile
from ._binary import check_binary, lower_binary
from .gate import check_range
from .quantized.reals import through_reals
from .record import NpuOperator
from .rules import BIAS_OF_CHANNELS


def check_bias_add(kernel: Kernel, profile: Profile) -> Rejected | None:
    return check_binary(kernel, profile) or _check_bias(kernel) or check_range(kernel, profile)


def _check_bias(kernel: Kernel) -> Rejected | None:
    x, bias = required(kernel, 0).shape, required(kernel, 1).shape
    if x and bias == x[-1:]:
        return None
    return Rejected(RejectCode.SHAPE, f"bias must have shape {x[-1:]}, has {bias}", BIAS_OF_CHANNELS)


def lower_bias_add(kernel: Kernel, builder: Builder) -> None:
    lower_binary(kernel, builder, BinaryFunction.ADD, ActivationType.NO_ACTIVATION)


OPERATOR = NpuOperator(
    "BiasAdd",
    check_bias_add,
    lower_bias_add,
    takes="real, int32",
    condition="for a bias of one element for each channel, the last dimension",
    quantized=through_reals(check_bias_add, lower_bias_add),
)
