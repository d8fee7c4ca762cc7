"""Shared by quantized pools: one pool on stored integers."""

from __future__ import annotations

from ....delegate import Kernel
from ....ir.axes import permute_shape
from ....semantics.geometry import Pool, pool_sliding
from ....semantics.operands import required
from ....semantics.quantization import LIMITS, per_tensor
from ...device.instructions.quantized_pooling import QuantizedAveragePool, QuantizedMaxPool
from ...ir.builder import Builder
from ...ir.layout import TO_NCHW, TO_NHWC
from ...semantics.windows import window_of
from .bounds import bounds_of
from .tables import requantizing


def lower_pool(
    kernel: Kernel, builder: Builder, primitive: Pool, kind: type[QuantizedMaxPool] | type[QuantizedAveragePool]
) -> None:
    """Emits the pool on the NCHW input, and a table where the output has parameters of its own."""
    x, out = required(kernel, 0), kernel.outputs[0]
    window = window_of(pool_sliding(primitive, x.shape), x.shape)
    source, target = per_tensor(x), per_tensor(out)
    if source == target:
        bounds = bounds_of(primitive.activation_type, target, out.dtype)
        return builder.define_nchw(out, kind(window, *bounds), [builder.read_nchw(x)])
    shape, element = permute_shape(out.shape, TO_NCHW), builder.element(out.dtype)
    pooled = builder.emit(kind(window, *LIMITS[x.dtype]), [builder.read_nchw(x)], shape, element)
    table = requantizing(source, target, out.dtype, primitive.activation_type)
    return builder.define(out, table, [builder.permuted(pooled, TO_NHWC)])
