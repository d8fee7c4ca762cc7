"""ReduceFusion: mean or sum over axes, wherever they lie."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.enums import ReduceMode
from ...ir.primitives import ReduceFusion
from ..compiler import Builder, Layout, LayoutRule, Lowering
from ..compiler.layout import device_axis, model_axes
from ..device.reduction import Reduce, Reduction
from ..operands import int_values, normalised, operand, primitive_of, required

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
    """Emits the reduction in the layout of the input.

    When axes go away and those that stay would come out in another order than the model's, the input is read
    in model order instead.
    """
    primitive, x, out = primitive_of(kernel, ReduceFusion), required(kernel, 0), kernel.outputs[0]
    rank = len(x.shape)
    axes, layout = reduced_axes(kernel, rank), builder.follow([x], rank)
    stay = [axis for axis in model_axes(layout, rank) if axis not in axes]
    if not primitive.keep_dims and stay != sorted(stay):
        layout = Layout.PLAIN
    instruction = Reduce(
        MODES[primitive.mode], tuple(sorted(device_axis(a, layout, rank) for a in axes)), primitive.keep_dims
    )
    out_layout = layout if primitive.keep_dims else Layout.PLAIN
    builder.define(out, out_layout, instruction, [builder.read(x, layout)])


LOWERING = Lowering("ReduceFusion", lower_reduce_fusion, LayoutRule.FOLLOW)
