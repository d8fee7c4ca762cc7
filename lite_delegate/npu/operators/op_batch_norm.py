"""BatchNorm: normalization with constant statistics, in one instruction."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...delegate import Kernel, Rejected
from ...ir.primitives import BatchNorm
from ...semantics.operands import primitive_of, required
from ..device.instructions.normalize import Normalize
from ..device.programs.instruction import Array
from ..device.programs.program import ElementType
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import check_constants, check_magnitude, check_operands, check_output_shape, check_tensors
from .op_fused_batch_norm import check_channels
from .record import NpuOperator


def check_batch_norm(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_operands(kernel, 3, 3)
        or check_tensors(kernel, profile)
        or check_constants(kernel, {1: "mean", 2: "variance"})
        or check_channels(kernel, range(1, 3))
        or check_output_shape(kernel, required(kernel, 0).shape)
        or check_magnitude("1 / sqrt(variance + epsilon)", _factor(kernel), profile)
        or check_magnitude("mean", required(kernel, 1).data, profile)
    )


def _factor(kernel: Kernel) -> Array:
    variance = required(kernel, 2).data.astype(np.float64).reshape(-1)
    with np.errstate(all="ignore"):
        return np.asarray(1.0 / np.sqrt(variance + primitive_of(kernel, BatchNorm).epsilon))


def lower_batch_norm(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction with an offset of 0; the mean in two parts, so that its rounding does not count."""
    x = required(kernel, 0)
    shape = (1,) * (len(x.shape) - 1) + (x.shape[-1],)

    def stored(make: Callable[[], Array]) -> int:
        return builder.constant(builder.floating, shape, lambda: make().reshape(shape))

    element = builder.floating
    parts = [stored(lambda: _mean(kernel, element)[0]), stored(lambda: _mean(kernel, element)[1])]
    parts += [stored(lambda: _factor(kernel)), stored(lambda: np.zeros(shape[-1]))]
    builder.define(kernel.outputs[0], Normalize(), [builder.read(x), *parts])


def _mean(kernel: Kernel, element: ElementType) -> tuple[Array, Array]:
    """The mean as it is stored, and the rounding error of storing it."""
    mean = required(kernel, 1).data.astype(np.float64).reshape(-1)
    with np.errstate(all="ignore"):
        high = mean.astype(element.numpy).astype(np.float64)
    return high, mean - high


OPERATOR = NpuOperator(
    "BatchNorm",
    check_batch_norm,
    lower_batch_norm,
    takes="real",
    condition="with constant mean and variance of one element for each channel",
)
