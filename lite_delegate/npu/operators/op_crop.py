"""Crop: one slice, of the shape of another tensor."""

from __future__ import annotations

from ...delegate import Kernel, Rejected
from ...ir.primitives import Crop
from ..device.slicing import Slice
from ..ir.builder import Builder
from ..profiles import Profile
from ..semantics.fitting import DoesNotFit
from ..semantics.operands import normalized, primitive_of, required, shape_of
from ..semantics.slicing import SlicedPart
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
    primitive, shape, like = primitive_of(kernel, Crop), shape_of(required(kernel, 0)), shape_of(required(kernel, 1))
    first, offsets = normalized(primitive.axis, len(shape)), tuple(primitive.offsets or (0,))
    cropped = len(shape) - first
    begins = (0,) * first + (offsets * cropped if len(offsets) == 1 else offsets)
    inside = len(begins) == len(shape) == len(like) and all(
        begin >= 0 and size > 0 and begin + size <= dim for begin, size, dim in zip(begins, like, shape, strict=True)
    )
    if not inside:
        raise DoesNotFit(f"offsets {list(offsets)} from axis {first} and sizes {list(like)} must lie in {list(shape)}")
    return SlicedPart(Slice(begins, like, (1,) * len(shape)), like)


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
