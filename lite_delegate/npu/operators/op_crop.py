"""Crop: one slice, of the shape of another tensor."""

from __future__ import annotations

from ...delegate import Kernel, Rejected
from ...ir.primitives import Crop
from ...semantics.operands import primitive_of, required, shape_of
from ...semantics.slicing import SlicedPart, crop_cut
from ..ir.builder import Builder
from ..profiles import Profile
from ._slices import lower_cuts
from .gate import MOVABLE, check_axis, check_fits, check_operands, check_range, check_tensors
from .quantized.movement import by_movement
from .record import NpuOperator


def check_crop(kernel: Kernel, profile: Profile) -> Rejected | None:
    """Of input 1 only the shape counts."""
    return (
        check_operands(kernel, 2, 2)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE)
        or check_axis("axis", primitive_of(kernel, Crop).axis, len(required(kernel, 0).shape))
        or check_fits(kernel, lambda: [_cut(kernel).shape])
        or check_range(kernel, profile)
    )


def _cut(kernel: Kernel) -> SlicedPart:
    """The part of the input that the output is.

    Raises:
        DoesNotFit: the box is not inside of the input.
    """
    return crop_cut(shape_of(required(kernel, 0)), primitive_of(kernel, Crop), shape_of(required(kernel, 1)))


def lower_crop(kernel: Kernel, builder: Builder) -> None:
    lower_cuts(kernel, builder, [_cut(kernel)])


OPERATOR = NpuOperator(
    "Crop",
    check_crop,
    lower_crop,
    takes="any",
    condition="for a box inside the input; of input 1 only the shape counts",
    quantized=by_movement(check_crop, lower_crop),
)
