"""PReLUFusion: one instruction on x and its slopes."""

from __future__ import annotations

import math

from ...delegate import Kernel, RejectCode, Rejected
from ...semantics.operands import required, shape_of
from ..device.instructions.binary import Binary, BinaryFunction
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import check_operands, check_output_shape, check_range, check_tensors
from .quantized.reals import through_reals
from .record import NpuOperator
from .rules import SHAPE_OF_PARAMETERS


def check_prelu_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_operands(kernel, 2, 2)
        or check_tensors(kernel, profile)
        or check_output_shape(kernel, required(kernel, 0).shape)
        or _check_slope(kernel)
        or check_range(kernel, profile)
    )


def _check_slope(kernel: Kernel) -> Rejected | None:
    x, slope = required(kernel, 0).shape, required(kernel, 1).shape
    if math.prod(slope) in (1, x[-1] if x else 1):
        return None
    reason = f"slope must have 1 element or one for each of the channels of {x}, has shape {slope}"
    return Rejected(RejectCode.SHAPE, reason, SHAPE_OF_PARAMETERS)


def lower_prelu_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction; slopes lie along the last axis."""
    x, slope = required(kernel, 0), required(kernel, 1)
    rank = len(x.shape)
    shape = (1,) * (rank - 1) + (math.prod(shape_of(slope)),) if rank else ()
    operands = [builder.read(x), builder.read_as(slope, shape)]
    builder.define(kernel.outputs[0], Binary(BinaryFunction.LEAKY), operands)


OPERATOR = NpuOperator(
    "PReLUFusion",
    check_prelu_fusion,
    lower_prelu_fusion,
    takes="real",
    condition="for one slope, or one for each channel",
    quantized=through_reals(check_prelu_fusion, lower_prelu_fusion),
)
