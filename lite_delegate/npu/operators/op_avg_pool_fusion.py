"""AvgPoolFusion: one pooling instruction with its activation."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import AvgPoolFusion
from ...semantics.geometry import pool_sliding
from ...semantics.operands import primitive_of, required
from ..device.instructions.pooling import AveragePool
from ..device.instructions.quantized_pooling import QuantizedAveragePool
from ..ir.builder import Builder
from ..profiles import OperatorLimits, Profile
from ..profiles.driver_version import at_least
from ..semantics.activations import fused_or_none
from ..semantics.windows import window_of
from ._pooling import check_pool
from .gate import check_range
from .quantized.pooling import lower_pool
from .quantized.stored import check_stored
from .record import Form, NpuOperator


def check_avg_pool_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_pool(kernel, profile, primitive_of(kernel, AvgPoolFusion))
        or _check_padding(kernel, profile.limits)
        or _check_area(kernel, profile)
        or check_range(kernel, profile)
    )


def _check_padding(kernel: Kernel, limits: OperatorLimits) -> Rejected | None:
    shape = kernel.inputs[0].shape
    window = window_of(pool_sliding(primitive_of(kernel, AvgPoolFusion), shape), shape)
    (top, left), (down, across) = window.before, window.strides
    if not limits.avg_pool_pad_at_most_stride or (top <= down and left <= across):
        return None
    reason = f"padding above and left may be the strides {[down, across]} at most, is {[top, left]}"
    return Rejected(RejectCode.LIMIT, reason, "padding above and left may be the strides at most")


def _check_area(kernel: Kernel, profile: Profile) -> Rejected | None:
    limit, lifted_since = profile.limits.avg_pool_max_input_area, profile.limits.avg_pool_any_area_since
    height, width = kernel.inputs[0].shape[1:3]
    if limit is None or height * width <= limit or (lifted_since and at_least(profile.driver_version, lifted_since)):
        return None
    return Rejected.by_rule(
        RejectCode.LIMIT, f"height * width of the input may be {limit} at most", f"is {height * width}"
    )


def lower_avg_pool_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction on the NCHW input."""
    primitive, x = primitive_of(kernel, AvgPoolFusion), required(kernel, 0)
    window = window_of(pool_sliding(primitive, x.shape), x.shape)
    instruction = AveragePool(window, fused_or_none(primitive.activation_type))
    builder.define_nchw(kernel.outputs[0], instruction, [builder.read_nchw(x)])


def check_quantized(kernel: Kernel, profile: Profile) -> Rejected | None:
    return check_stored(kernel, profile, check_avg_pool_fusion, primitive_of(kernel, AvgPoolFusion).activation_type)


def lower_quantized(kernel: Kernel, builder: Builder) -> None:
    lower_pool(kernel, builder, primitive_of(kernel, AvgPoolFusion), QuantizedAveragePool)


OPERATOR = NpuOperator(
    "AvgPoolFusion",
    check_avg_pool_fusion,
    lower_avg_pool_fusion,
    takes="real",
    condition=(
        "for rank 4, where each window covers some of the input; other fused activations than "
        "RELU and RELU6 count as none, as on the CPU"
    ),
    limits=("avg_pool_max_input_area", "avg_pool_any_area_since", "avg_pool_pad_at_most_stride"),
    quantized=Form(check_quantized, lower_quantized),
)
