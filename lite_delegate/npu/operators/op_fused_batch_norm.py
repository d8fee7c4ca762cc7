"""FusedBatchNorm: normalization per channel, with constants worked out when the program is loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields

import numpy as np

from ...basics.data_class import dataclass
from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import FusedBatchNorm
from ...semantics.operands import primitive_of, required
from ..device.instructions.normalize import Normalize
from ..device.programs.instruction import Array
from ..device.programs.program import ElementType
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import check_constants, check_magnitude, check_operands, check_output_shape, check_tensors
from .quantized.reals import through_reals
from .record import NpuOperator
from .rules import SHAPE_OF_PARAMETERS


def check_fused_batch_norm(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_operands(kernel, 5, 5)
        or check_tensors(kernel, profile)
        or check_constants(kernel, {1: "scale", 2: "offset", 3: "mean", 4: "variance"})
        or _check_mode(primitive_of(kernel, FusedBatchNorm).mode)
        or check_channels(kernel, range(1, 5))
        or check_output_shape(kernel, kernel.inputs[0].shape)
        or check_magnitude("scale / sqrt(variance + epsilon)", statistics_of(kernel).factor, profile)
        or check_magnitude("mean", required(kernel, 3).data, profile)
        or check_magnitude("offset", required(kernel, 2).data, profile)
    )


def _check_mode(mode: int) -> Rejected | None:
    if mode == 0:
        return None
    return Rejected.by_rule(RejectCode.ATTRIBUTE, "mode must be 0 (inference)", f"is {mode}")


def check_channels(kernel: Kernel, positions: Iterable[int]) -> Rejected | None:
    """Input 0 has channels, and the inputs at ``positions`` one element for each."""
    x = required(kernel, 0).shape
    if not x:
        return Rejected.by_rule(RejectCode.RANK, "input 0 must have a channel axis", "is a scalar")
    for position in positions:
        shape = required(kernel, position).shape
        if shape != x[-1:]:
            reason = f"input {position} must have shape {x[-1:]}, has {shape}"
            return Rejected(RejectCode.SHAPE, reason, SHAPE_OF_PARAMETERS)
    return None


@dataclass(frozen=True, slots=True)
class Statistics:
    """Per channel, (C,) each, in float64: the operands of ``Normalize`` beside x."""

    mean_high: Array
    mean_low: Array
    factor: Array
    offset: Array


def statistics_of(kernel: Kernel, element: ElementType = ElementType.FLOAT16) -> Statistics:
    """The operands of the instruction: factor is scale / sqrt(variance + epsilon).

    Args:
        element: in which they are stored; the high part of the mean is the mean rounded to it.
    """
    scale, offset, mean, variance = (required(kernel, i).data.astype(np.float64).reshape(-1) for i in range(1, 5))
    with np.errstate(all="ignore"):
        high = mean.astype(element.numpy).astype(np.float64)
        factor = scale / np.sqrt(variance + primitive_of(kernel, FusedBatchNorm).epsilon)
        return Statistics(high, mean - high, factor, offset)


def lower_fused_batch_norm(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction. Channels are the last model axis.

    NOTE: MindSpore Lite's NPU passes tensors on unpermuted although its batch norm works on axis 1.
    """
    x = required(kernel, 0)
    rank = len(x.shape)
    shape = (1,) * (rank - 1) + (x.shape[-1],)
    buffers = [builder.read(x)]
    for field in fields(Statistics):
        buffers.append(builder.constant(builder.floating, shape, _part(kernel, field.name, builder.floating, shape)))
    builder.define(kernel.outputs[0], Normalize(), buffers)


def _part(kernel: Kernel, name: str, element: ElementType, shape: tuple[int, ...]) -> Callable[[], Array]:
    return lambda: np.reshape(getattr(statistics_of(kernel, element), name), shape)


OPERATOR = NpuOperator(
    "FusedBatchNorm",
    check_fused_batch_norm,
    lower_fused_batch_norm,
    takes="real",
    condition="with constant parameters and one output, in inference (mode 0)",
    quantized=through_reals(check_fused_batch_norm, lower_fused_batch_norm),
)
