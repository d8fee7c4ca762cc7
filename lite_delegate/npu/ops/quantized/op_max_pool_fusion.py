"""Quantized MaxPoolFusion: the largest element of each window."""

from __future__ import annotations

from ....delegate import Kernel
from ....ir.primitives import MaxPoolFusion
from ...device.quantized_pooling import QuantizedMaxPool
from ...ir.builder import Builder
from ...ir.lowering import Lowering
from ...semantics.operands import primitive_of
from ._pooling import lower_pool


def lower_max_pool_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the pool."""
    lower_pool(kernel, builder, primitive_of(kernel, MaxPoolFusion), QuantizedMaxPool)


LOWERING = Lowering("MaxPoolFusion", lower_max_pool_fusion)
