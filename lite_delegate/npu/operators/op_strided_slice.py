"""StridedSlice: a slice, viewed with the axes that masks add and without the axes that masks drop."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import StridedSlice
from ...semantics.operands import int_values, operand, primitive_of, required, shape_of
from ...semantics.slicing import SlicedPart, strided_cut
from ..ir.builder import Builder
from ..profiles import Profile
from ._slices import lower_cuts
from .gate import MOVABLE, check_constants, check_fits, check_operands, check_range, check_tensors
from .quantized.movement import by_movement
from .record import NpuOperator


def check_strided_slice(kernel: Kernel, profile: Profile) -> Rejected | None:
    """NOTE: MindSpore Lite's NPU takes axes 0, 1, 2, ... only, and moves integers through floats. Here axes may be in
    any order, unless the profile says otherwise, and integers stay exact.
    """
    last = {3: "strides"} if len(kernel.operands) == 4 else {3: "axes", 4: "strides"}
    return (
        check_operands(kernel, 4, 5)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE)
        or check_constants(kernel, {1: "begin", 2: "end", **last})
        or check_fits(kernel, lambda: [cut.shape for cut in cuts_of(kernel)])
        or (_check_leading(kernel) if profile.limits.strided_slice_leading_axes else None)
        or check_range(kernel, profile)
    )


def _check_leading(kernel: Kernel) -> Rejected | None:
    """The axes that a slice of five inputs names are 0, 1, 2 and so on."""
    axes = int_values(required(kernel, 3)) if operand(kernel, 4) is not None else ()
    if axes == tuple(range(len(axes))):
        return None
    return Rejected.by_rule(RejectCode.LIMIT, "axes must be 0, 1, 2 and so on", f"are {list(axes)}")


def cuts_of(kernel: Kernel) -> list[SlicedPart]:
    """The part of the input that the output is.

    Raises:
        DoesNotFit: begin, end, strides, axes and masks do not go together, or leave the input.
    """
    begin, end, third = (int_values(required(kernel, position)) for position in (1, 2, 3))
    fourth = operand(kernel, 4)
    strides, axes = (third, None) if fourth is None else (int_values(fourth), third)
    return [strided_cut(shape_of(required(kernel, 0)), primitive_of(kernel, StridedSlice), begin, end, strides, axes)]


def lower_strided_slice(kernel: Kernel, builder: Builder) -> None:
    lower_cuts(kernel, builder, cuts_of(kernel))


OPERATOR = NpuOperator(
    "StridedSlice",
    check_strided_slice,
    lower_strided_slice,
    takes="any",
    condition="for constant positions, with all masks, in both forms; with four inputs they stay inside the input",
    limits=("strided_slice_leading_axes",),
    quantized=by_movement(check_strided_slice, lower_strided_slice),
)
