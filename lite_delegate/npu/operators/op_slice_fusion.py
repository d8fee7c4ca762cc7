"""SliceFusion: a slice."""

from __future__ import annotations

from ...delegate import Kernel, Rejected
from ...ir.primitives import SliceFusion
from ...semantics.operands import int_values, primitive_of, required, shape_of
from ...semantics.slicing import SlicedPart, slice_cut
from ..ir.builder import Builder
from ..profiles import Profile
from ._slices import lower_cuts
from .gate import MOVABLE, check_constants, check_fits, check_operands, check_range, check_tensors
from .quantized.movement import by_movement
from .record import NpuOperator


def check_slice_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_operands(kernel, 3, 3)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE)
        or check_constants(kernel, {1: "begin", 2: "size"})
        or check_fits(kernel, lambda: [cut.shape for cut in cuts_of(kernel)])
        or check_range(kernel, profile)
    )


def cuts_of(kernel: Kernel) -> list[SlicedPart]:
    """The part of the input that the output is.

    Raises:
        DoesNotFit: the box is not inside of the input.
    """
    begin, size = int_values(required(kernel, 1)), int_values(required(kernel, 2))
    return [slice_cut(shape_of(required(kernel, 0)), begin, size, primitive_of(kernel, SliceFusion).axes)]


def lower_slice_fusion(kernel: Kernel, builder: Builder) -> None:
    lower_cuts(kernel, builder, cuts_of(kernel))


OPERATOR = NpuOperator(
    "SliceFusion",
    check_slice_fusion,
    lower_slice_fusion,
    takes="any",
    condition="for a constant box inside the input",
    quantized=by_movement(check_slice_fusion, lower_slice_fusion),
)
