"""AvgPoolFusion: one pooling instruction with its activation."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import AvgPoolFusion
from ..device.pooling import AveragePool
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.activations import fused_or_none
from ..semantics.geometry import pool_sliding, window_of
from ..semantics.operands import primitive_of, required


def lower_avg_pool_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction on the NCHW input."""
    primitive, x = primitive_of(kernel, AvgPoolFusion), required(kernel, 0)
    window = window_of(pool_sliding(primitive, x.shape), x.shape)
    instruction = AveragePool(window, fused_or_none(primitive.activation_type))
    builder.define_nchw(kernel.outputs[0], instruction, [builder.read_nchw(x)])


LOWERING = Lowering("AvgPoolFusion", lower_avg_pool_fusion)
