"""Stack: the inputs, each viewed with a new axis of 1, one after another along it."""

from __future__ import annotations

from ...delegate import Kernel, Rejected
from ...ir.primitives import Stack
from ...semantics.fitting import DoesNotFit, placed_axes
from ...semantics.operands import normalized, primitive_of, shape_of
from ..device.instructions.movement import Concatenate
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import MOVABLE, check_fits, check_operands, check_range, check_tensors
from .quantized.movement import by_movement
from .record import NpuOperator


def check_stack(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_operands(kernel, max(1, len(kernel.operands)))
        or check_tensors(kernel, profile, more_dtypes=MOVABLE)
        or check_fits(kernel, lambda: [_stacked_shape(kernel)])
        or check_range(kernel, profile)
    )


def _stacked_shape(kernel: Kernel) -> tuple[int, ...]:
    shapes = [shape_of(t) for t in kernel.inputs]
    if len(set(shapes)) != 1:
        raise DoesNotFit(f"inputs must have one shape, have {[list(shape) for shape in shapes]}")
    (axis,) = placed_axes([primitive_of(kernel, Stack).axis], len(shapes[0]) + 1, "axis")
    return (*shapes[0][:axis], len(shapes), *shapes[0][axis:])


def lower_stack(kernel: Kernel, builder: Builder) -> None:
    out = kernel.outputs[0]
    axis = normalized(primitive_of(kernel, Stack).axis, len(out.shape))
    wide = (*shape_of(out)[:axis], 1, *shape_of(out)[axis + 1 :])
    builder.define(out, Concatenate(axis), [builder.read_as(t, wide) for t in kernel.inputs])


OPERATOR = NpuOperator(
    "Stack",
    check_stack,
    lower_stack,
    takes="any",
    condition="for inputs of one shape",
    quantized=by_movement(check_stack, lower_stack),
)
