"""FusedBatchNorm: scale and shift per channel, with constants worked out when the program is loaded."""

from __future__ import annotations

import numpy as np

from ...delegate import Kernel
from ...ir.primitives import FusedBatchNorm
from ..compiler import Builder, LayoutRule, Lowering
from ..compiler.layout import arranged
from ..device.binary import ScaleShift
from ..device.instruction import Array
from ..device.program import ElementType
from ..operands import primitive_of, required


def folded(kernel: Kernel) -> tuple[Array, Array]:
    """Per channel, the factor scale / sqrt(variance + epsilon) and the addend offset - mean * factor, in float64."""
    scale, offset, mean, variance = (required(kernel, i).data.astype(np.float64).reshape(-1) for i in range(1, 5))
    with np.errstate(all="ignore"):
        factor = scale / np.sqrt(variance + primitive_of(kernel, FusedBatchNorm).epsilon)
        return factor, offset - mean * factor


def lower_fused_batch_norm(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction in the layout of x. Channels are the last model axis.

    NOTE: MindSpore Lite's NPU passes tensors on unpermuted although its batch norm works on axis 1.
    """
    x = required(kernel, 0)
    rank = len(x.shape)
    layout = builder.follow([x], rank)
    buffers = [builder.read(x, layout)]
    shape = arranged((1,) * (rank - 1) + (x.shape[-1],), layout)
    buffers.append(builder.constant(ElementType.FLOAT16, shape, lambda: folded(kernel)[0].reshape(shape)))
    buffers.append(builder.constant(ElementType.FLOAT16, shape, lambda: folded(kernel)[1].reshape(shape)))
    builder.define(kernel.outputs[0], layout, ScaleShift(), buffers)


LOWERING = Lowering("FusedBatchNorm", lower_fused_batch_norm, LayoutRule.FOLLOW)
