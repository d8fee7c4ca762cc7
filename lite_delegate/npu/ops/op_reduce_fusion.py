"""ReduceFusion: mean or sum over axes."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.enums import ReduceMode
from ...ir.primitives import ReduceFusion
from ..compiler import Builder, Lowering
from ..device.movement import View
from ..device.reduction import Reduce, Reduction
from ..operands import int_values, normalised, operand, primitive_of, required, shape_of

MODES: dict[ReduceMode, Reduction] = {
    ReduceMode.ReduceMean: Reduction.MEAN,
    ReduceMode.ReduceSum: Reduction.SUM,
}


def reduced_axes(kernel: Kernel, rank: int) -> tuple[int, ...]:
    """The model axes that are reduced, non-negative and ascending; all of them when none are given."""
    axes = operand(kernel, 1)
    given = () if axes is None else int_values(axes)
    return tuple(sorted({normalised(axis, rank) for axis in given})) or tuple(range(rank))


def lower_reduce_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the reduction, and a view without the reduced axes where they go away."""
    primitive, x, out = primitive_of(kernel, ReduceFusion), required(kernel, 0), kernel.outputs[0]
    axes = reduced_axes(kernel, len(x.shape))
    instruction, source = Reduce(MODES[primitive.mode], axes), builder.read(x)
    if primitive.keep_dims:
        return builder.define(out, instruction, [source])
    kept = tuple(1 if axis in axes else size for axis, size in enumerate(x.shape))
    return builder.define(out, View(shape_of(out)), [builder.emit(instruction, [source], kept)])


LOWERING = Lowering("ReduceFusion", lower_reduce_fusion)
