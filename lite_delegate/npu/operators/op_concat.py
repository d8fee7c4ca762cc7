"""Concat: one concatenation along the axis, wherever it lies."""

from __future__ import annotations

from ...delegate import Kernel, Rejected
from ...ir.primitives import Concat
from ...semantics.operands import normalized, primitive_of
from ..device.instructions.movement import Concatenate
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import MOVABLE, check_axis, check_operands, check_output_shape, check_range, check_tensors
from .quantized.movement import by_movement
from .record import NpuOperator


def check_concat(kernel: Kernel, profile: Profile) -> Rejected | None:
    axis = primitive_of(kernel, Concat).axis
    return (
        check_operands(kernel, max(1, len(kernel.operands)))
        or check_tensors(kernel, profile, more_dtypes=MOVABLE)
        or check_axis("axis", axis, len(kernel.inputs[0].shape))
        or check_output_shape(kernel, _joined_shape([t.shape for t in kernel.inputs], axis))
        or check_range(kernel, profile)
    )


def _joined_shape(shapes: list[list[int]], axis: int) -> tuple[int, ...] | None:
    """The shape of the result, None when the inputs differ elsewhere than along ``axis``."""
    axis = normalized(axis, len(shapes[0]))
    around = {(*shape[:axis], *shape[axis + 1 :]) for shape in shapes if len(shape) == len(shapes[0])}
    if len(around) != 1 or len({len(shape) for shape in shapes}) != 1:
        return None
    return (*shapes[0][:axis], sum(shape[axis] for shape in shapes), *shapes[0][axis + 1 :])


def lower_concat(kernel: Kernel, builder: Builder) -> None:
    out = kernel.outputs[0]
    rank = len(out.shape)
    axis = normalized(primitive_of(kernel, Concat).axis, rank)
    builder.define(out, Concatenate(axis), [builder.read(t) for t in kernel.inputs])


OPERATOR = NpuOperator(
    "Concat",
    check_concat,
    lower_concat,
    takes="any",
    condition="where the dimensions agree away from the axis",
    quantized=by_movement(check_concat, lower_concat),
)
