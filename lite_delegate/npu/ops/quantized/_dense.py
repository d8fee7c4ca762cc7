"""What lowering quantized convolutions and matrix products has in common: how sums become stored integers."""

from __future__ import annotations

from ....delegate import Kernel
from ....ir.enums import ActivationType
from ....tensor import Tensor
from ...device.quantized_scaling import Requantization, Rounding, fixed_point
from ...ir.builder import Builder
from ...semantics.operands import required
from ...semantics.quantization import params_of, per_channel, per_tensor
from .bounds import bounds_of

ROUNDINGS = {1: Rounding.HALF_AWAY, 2: Rounding.HALF_UP}
"""By ``round_type`` of the first input; any other rounds down."""


def dense_requantization(kernel: Kernel, builder: Builder, activation: ActivationType) -> Requantization:
    """From sums at the scale ``s_x * s_w[k]`` to the output's parameters, per output channel k."""
    x, weight, out = required(kernel, 0), required(kernel, 1), kernel.outputs[0]
    source, target, marks = per_tensor(x), per_tensor(out), params_of(x)[0]
    factors = [source.scale * weights.scale / target.scale for weights in per_channel(weight)]
    rounding = ROUNDINGS.get(marks.round_type, Rounding.DOWN)
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
