"""FusedBatchNorm: normalization per channel, with constants worked out when the program is loaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from ...delegate import Kernel
from ...ir.primitives import FusedBatchNorm
from ..device.instruction import Array
from ..device.normalize import Normalize
from ..device.program import ElementType
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import primitive_of, required


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


LOWERING = Lowering("FusedBatchNorm", lower_fused_batch_norm)
