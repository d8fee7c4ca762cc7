"""InstanceNorm: normalization of each channel of each image by its own mean and variance."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import InstanceNorm
from ...semantics.operands import primitive_of, required
from ..device.instructions.moments import NormalizeMoments
from ..ir.builder import Builder
from ..profiles import Profile
from ._moments import check_epsilon
from .gate import check_operands, check_output_shape, check_range, check_rank, check_tensors
from .quantized.reals import through_reals
from .record import NpuOperator
from .rules import SHAPE_OF_PARAMETERS


def check_instance_norm(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_operands(kernel, 3, 3)
        or check_tensors(kernel, profile)
        or check_rank(kernel, 0, range(3, profile.max_rank + 1))
        or _check_channels(kernel)
        or check_output_shape(kernel, kernel.inputs[0].shape)
        or check_epsilon(primitive_of(kernel, InstanceNorm).epsilon, profile.limits.moments_epsilon)
        or check_range(kernel, profile)
    )


def _check_channels(kernel: Kernel) -> Rejected | None:
    channels = required(kernel, 0).shape[-1:]
    for position in (1, 2):
        shape = required(kernel, position).shape
        if shape != channels:
            reason = f"input {position} must have shape {channels}, has {shape}"
            return Rejected(RejectCode.SHAPE, reason, SHAPE_OF_PARAMETERS)
    return None


def lower_instance_norm(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction. Channels are the last model axis, the axes between them and the first are normalized."""
    x = required(kernel, 0)
    rank, channels = len(x.shape), x.shape[-1]
    instruction = NormalizeMoments(tuple(range(1, rank - 1)), primitive_of(kernel, InstanceNorm).epsilon)
    shape = (1,) * (rank - 1) + (channels,)
    affine = [builder.read_as(required(kernel, position), shape) for position in (1, 2)]
    builder.define(kernel.outputs[0], instruction, [builder.read(x), *affine])


OPERATOR = NpuOperator(
    "InstanceNorm",
    check_instance_norm,
    lower_instance_norm,
    takes="real",
    condition="from rank 3 on, with scale and shift of shape (channels,)",
    limits=("moments_epsilon",),
    quantized=through_reals(check_instance_norm, lower_instance_norm),
)
