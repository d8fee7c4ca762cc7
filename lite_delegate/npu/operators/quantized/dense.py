"""Shared by quantized convolutions and matrix products: the claim, and the way from sums to stored integers."""

from __future__ import annotations

from dataclasses import replace

from ....basics.counted import counted
from ....delegate import Kernel, RejectCode, Rejected
from ....ir.types.data_type import DataType
from ....ir.types.enums import ActivationType
from ....semantics.operands import operand, required
from ....semantics.quantization import STORED, params_of, per_channel, per_tensor
from ....tensors.tensor import Tensor
from ...device.instructions.quantized_scaling import Requantization, ResultRounding, fixed_point
from ...ir.builder import Builder
from ...profiles import Profile
from ...semantics.kernel_view import labeled_as_reals
from ..gate import check_operands
from ..record import Check
from .bounds import bounds_of
from .gate import check_bounded, check_dtypes, check_output_stored, check_per_tensor, check_scales

ROUNDINGS = {1: ResultRounding.HALF_AWAY, 2: ResultRounding.HALF_UP}
"""By ``round_type`` of the first input; any other rounds down."""


def on_shapes(profile: Profile) -> Profile:
    """The profile for checks of tensors that are labeled as float32 numbers: no constant is beyond that type."""
    return replace(profile, dtypes=frozenset({DataType.FLOAT32}), storage=DataType.FLOAT32)


def check_dense(
    kernel: Kernel, profile: Profile, on_reals: Check, activation: ActivationType, channel_axis: int
) -> Rejected | None:
    """``x`` and ``weight`` are of 8-bit integers, an optional bias of 32-bit ones.

    Args:
        kernel: of the operator.
        profile: the device.
        on_reals: the operator's check for real numbers, which holds for shapes and attributes.
        activation: fused.
        channel_axis: of the weight, that counts output channels; negative.
    """
    return (
        check_operands(kernel, 2, 3)
        or check_output_stored(kernel)
        or _check_operand_dtypes(kernel)
        or check_dtypes(kernel, profile)
        or check_bounded(activation)
        or on_reals(labeled_as_reals(kernel), on_shapes(profile))
        or check_per_tensor([("input 0", required(kernel, 0)), ("output 0", kernel.outputs[0])])
        or _check_weight(kernel, channel_axis)
    )


def _check_operand_dtypes(kernel: Kernel) -> Rejected | None:
    weight, bias = required(kernel, 1), operand(kernel, 2)
    if weight.dtype not in STORED:
        return Rejected.by_rule(
            RejectCode.DTYPE, "weight (input 1) must be INT8 or UINT8", f"is {weight.dtype.name}", weight.dtype
        )
    if bias is not None and bias.dtype != DataType.INT32:
        return Rejected.by_rule(RejectCode.DTYPE, "bias (input 2) must be INT32", f"is {bias.dtype.name}", bias.dtype)
    return None


def _check_weight(kernel: Kernel, channel_axis: int) -> Rejected | None:
    """One scale, or one per output channel; zero points that differ need a channel each in the weight itself."""
    weight, channels = required(kernel, 1), kernel.outputs[0].shape[-1]
    rejected = check_scales("weight (input 1)", weight, most=channels)
    points = {p.zero_point for p in params_of(weight)}
    if rejected is not None or len(points) == 1 or weight.shape[channel_axis] == channels:
        return rejected
    return Rejected(
        RejectCode.ATTRIBUTE,
        f"zero points that differ need {counted(channels, 'channel')} in axis {channel_axis} of the "
        f"weight, it has {weight.shape}",
        "zero points that differ need a channel each",
    )


def dense_requantization(kernel: Kernel, builder: Builder, activation: ActivationType) -> Requantization:
    """From sums at the scale ``s_x * s_w[k]`` to the output's parameters, per output channel k."""
    x, weight, out = required(kernel, 0), required(kernel, 1), kernel.outputs[0]
    source, target, marks = per_tensor(x), per_tensor(out), params_of(x)[0]
    factors = [source.scale * weights.scale / target.scale for weights in per_channel(weight)]
    rounding = ROUNDINGS.get(marks.round_type, ResultRounding.DOWN)
    low, high = bounds_of(activation, target, out.dtype)
    return Requantization(
        fixed_point(factors, rounding, single_precision=marks.multiplier == 0),
        target.zero_point,
        low,
        high,
        builder.element(out.dtype),
    )


def zero_points_of(weight: Tensor) -> tuple[int, ...]:
    """One zero point for all channels where they agree, else one per channel."""
    points = tuple(p.zero_point for p in per_channel(weight))
    return points[:1] if len(set(points)) == 1 else points
