"""ScaleFusion: scale and shift along some axes, in one instruction."""

from __future__ import annotations

from collections.abc import Collection

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import ScaleFusion
from ...semantics.operands import normalized, primitive_of, required, shape_of
from ..device.instructions.binary import ScaleShift
from ..ir.builder import Builder
from ..profiles import Profile
from ..semantics.activations import FUSED
from .gate import check_axis, check_fused, check_operands, check_output_shape, check_range, check_tensors
from .quantized.reals import through_reals
from .record import NpuOperator
from .rules import SHAPE_OF_PARAMETERS


def check_scale_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
    """NOTE: MindSpore Lite's NPU takes axes 1 and 3 only with an offset; here every axis is a broadcast, and the
    profile says which axes are taken.
    """
    primitive = primitive_of(kernel, ScaleFusion)
    return (
        check_operands(kernel, 2, 3)
        or check_tensors(kernel, profile)
        or check_fused(primitive.activation_type)
        or check_axis("axis", primitive.axis, len(kernel.inputs[0].shape))
        or _check_vectors(kernel, primitive.axis)
        or (_check_channels(kernel, primitive.axis) if profile.limits.scale_per_channel else None)
        or _check_offset(kernel, primitive.axis, profile.limits.scale_offset_axes)
        or check_output_shape(kernel, kernel.inputs[0].shape)
        or check_range(kernel, profile)
    )


def _check_vectors(kernel: Kernel, axis: int) -> Rejected | None:
    x, *vectors = kernel.inputs
    start = normalized(axis, len(x.shape))
    scale = vectors[0].shape
    if scale != x.shape[start : start + len(scale)] or any(v.shape != scale for v in vectors):
        shapes = [v.shape for v in vectors]
        reason = f"scale and offset must have dimensions of {x.shape} from {axis}: {shapes}"
        return Rejected(RejectCode.SHAPE, reason, SHAPE_OF_PARAMETERS)
    return None


def _check_channels(kernel: Kernel, axis: int) -> Rejected | None:
    """Scale and offset reach to the last axis, the channels."""
    x, scale = kernel.inputs[0].shape, kernel.inputs[1].shape
    if scale and normalized(axis, len(x)) + len(scale) == len(x):
        return None
    reason = f"scale must reach to the last axis of {x}, has shape {scale} from axis {axis}"
    return Rejected(RejectCode.LIMIT, reason, "scale must reach to the last axis")


def _check_offset(kernel: Kernel, axis: int, axes: Collection[int] | None) -> Rejected | None:
    """A scale with an offset begins at one of the axes that the profile names."""
    found = normalized(axis, len(kernel.inputs[0].shape))
    if axes is None or len(kernel.inputs) < 3 or found in axes:
        return None
    wanted = " or ".join(map(str, sorted(axes)))
    return Rejected.by_rule(RejectCode.LIMIT, f"axis must be {wanted} where there is an offset", f"is {found}")


def lower_scale_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction; scale and offset are laid along x's axes from ``axis`` on."""
    primitive, x = primitive_of(kernel, ScaleFusion), required(kernel, 0)
    rank = len(x.shape)
    axis = normalized(primitive.axis, rank)
    buffers = [builder.read(x)]
    for vector in kernel.inputs[1:]:
        shape = (1,) * axis + shape_of(vector) + (1,) * (rank - axis - len(vector.shape))
        buffers.append(builder.read_as(vector, shape))
    builder.define(kernel.outputs[0], ScaleShift(FUSED[primitive.activation_type]), buffers)


OPERATOR = NpuOperator(
    "ScaleFusion",
    check_scale_fusion,
    lower_scale_fusion,
    takes="real",
    condition="where scale and offset have the dimensions of x from the axis on; no activation, RELU or RELU6 fused",
    limits=("scale_per_channel", "scale_offset_axes"),
    quantized=through_reals(check_scale_fusion, lower_scale_fusion),
)
