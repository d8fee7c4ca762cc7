"""Split: one slice per output."""

from __future__ import annotations

from ...delegate import Kernel, Rejected
from ...ir.primitives import Split
from ...semantics.operands import int_values, operand, primitive_of, required, shape_of
from ...semantics.slicing import SlicedPart, split_cuts
from ..ir.builder import Builder
from ..profiles import Profile
from ._slices import lower_cuts
from .gate import MOVABLE, check_constants, check_fits, check_operands, check_range, check_tensors
from .quantized.movement import by_movement
from .record import NpuOperator


def check_split(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_operands(kernel, 1, 2, outputs=None)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE)
        or check_constants(kernel, {1: "sizes"})
        or check_fits(kernel, lambda: [cut.shape for cut in cuts_of(kernel)])
        or check_range(kernel, profile)
    )


def cuts_of(kernel: Kernel) -> list[SlicedPart]:
    """The part of the input that each output is.

    Raises:
        DoesNotFit: the sizes do not fit the dimension, or the axis is outside.
    """
    sizes = operand(kernel, 1)
    given = None if sizes is None else int_values(sizes)
    return split_cuts(shape_of(required(kernel, 0)), primitive_of(kernel, Split), given, len(kernel.outputs))


def lower_split(kernel: Kernel, builder: Builder) -> None:
    lower_cuts(kernel, builder, cuts_of(kernel))


OPERATOR = NpuOperator(
    "Split",
    check_split,
    lower_split,
    takes="any",
    condition="for constant sizes that add up to the dimension (the last may be -1), or equal parts",
    quantized=by_movement(check_split, lower_split),
)
