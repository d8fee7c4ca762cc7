"""Quantized AvgPoolFusion: the rounded mean of each window."""

from __future__ import annotations

from ....delegate import Kernel
from ....ir.primitives import AvgPoolFusion
from ...device.quantized_pooling import QuantizedAveragePool
from ...ir.builder import Builder
from ...ir.lowering import Lowering
from ...semantics.operands import primitive_of
from ._pooling import lower_pool


def lower_avg_pool_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the pool."""
    lower_pool(kernel, builder, primitive_of(kernel, AvgPoolFusion), QuantizedAveragePool)


LOWERING = Lowering("AvgPoolFusion", lower_avg_pool_fusion)
