"""LayerNormFusion: normalization of each group of elements by its own mean and variance."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import LayerNormFusion
from ..device.moments import NormalizeMoments
from ..device.movement import View
from ..device.reduction import Reduce, Reduction
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import normalized, operand, primitive_of, required, shape_of


def lower_layer_norm_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction, and a reduction for each of the statistics where they are outputs."""
    primitive, x = primitive_of(kernel, LayerNormFusion), required(kernel, 0)
    rank = len(x.shape)
    axes = tuple(range(normalized(primitive.begin_norm_axis, rank), rank))
    affine = [builder.read(t, rank) for t in (operand(kernel, 1), operand(kernel, 2)) if t is not None]
    builder.define(kernel.outputs[0], NormalizeMoments(axes, primitive.epsilon), [builder.read(x), *affine])
    kept = (*x.shape[: axes[0]], *(1,) * len(axes))
    for out, reduction in zip(kernel.outputs[1:], (Reduction.MEAN, Reduction.VARIANCE), strict=False):
        builder.define(out, View(shape_of(out)), [builder.emit(Reduce(reduction, axes), [builder.read(x)], kept)])


LOWERING = Lowering("LayerNormFusion", lower_layer_norm_fusion)
