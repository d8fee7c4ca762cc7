"""ReduceFusion: one reduction over axes."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.enums import ReduceMode
from ...ir.primitives import ReduceFusion
from ..device.movement import View
from ..device.reduction import Reduce, Reduction
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import int_values, normalized, operand, primitive_of, required, shape_of

MODES: dict[ReduceMode, Reduction] = {
    ReduceMode.ReduceMean: Reduction.MEAN,
    ReduceMode.ReduceMax: Reduction.MAX,
    ReduceMode.ReduceMin: Reduction.MIN,
    ReduceMode.ReduceProd: Reduction.PROD,
    ReduceMode.ReduceSum: Reduction.SUM,
    ReduceMode.ReduceSumSquare: Reduction.SUM_SQUARE,
    ReduceMode.ReduceASum: Reduction.ABS_SUM,
    ReduceMode.ReduceAll: Reduction.ALL,
    ReduceMode.ReduceL2: Reduction.L2,
}
LEAST_COEFF = 1e-5
"""A ``coeff`` that is not larger than this counts as 1, as does any without ``reduce_to_end``."""


def reduced_axes(kernel: Kernel, rank: int) -> tuple[int, ...]:
    """The model axes that are reduced, non-negative and ascending; all of them when none are given.

    With ``reduce_to_end`` the first one stands for itself and all after it.
    """
    axes = operand(kernel, 1)
    given = () if axes is None else int_values(axes)
    if primitive_of(kernel, ReduceFusion).reduce_to_end and given:
        return tuple(range(normalized(given[0], rank), rank))
    return tuple(sorted({normalized(axis, rank) for axis in given})) or tuple(range(rank))


def factor_of(primitive: ReduceFusion) -> float:
    """What the result is multiplied by."""
    return primitive.coeff if primitive.reduce_to_end and abs(primitive.coeff) > LEAST_COEFF else 1.0


def lower_reduce_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the reduction, and a view without the reduced axes where they go away."""
    primitive, x, out = primitive_of(kernel, ReduceFusion), required(kernel, 0), kernel.outputs[0]
    axes = reduced_axes(kernel, len(x.shape))
    if not axes:
        axes, source = (0,), builder.read_as(x, (1,))
    else:
        source = builder.read(x)
    kept = tuple(1 if axis in axes else size for axis, size in enumerate(x.shape or [1]))
    instruction = Reduce(MODES[primitive.mode], axes, factor_of(primitive))
    if kept == shape_of(out):
        return builder.define(out, instruction, [source])
    reduced = builder.emit(instruction, [source], kept, builder.element(out.dtype))
    return builder.define(out, View(shape_of(out)), [reduced])


LOWERING = Lowering("ReduceFusion", lower_reduce_fusion)
