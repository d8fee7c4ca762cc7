"""Unstack: a slice per position of the axis, viewed without it."""

from __future__ import annotations

from ...delegate import Kernel, Rejected
from ...ir.primitives import Unstack
from ...semantics.operands import primitive_of, required, shape_of
from ...semantics.slicing import SlicedPart, unstack_cuts
from ..ir.builder import Builder
from ..profiles import Profile
from ._slices import lower_cuts
from .gate import MOVABLE, check_fits, check_operands, check_range, check_tensors
from .quantized.movement import by_movement
from .record import NpuOperator


def check_unstack(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_operands(kernel, 1, 1, outputs=None)
        or check_tensors(kernel, profile, more_dtypes=MOVABLE)
        or check_fits(kernel, lambda: [cut.shape for cut in cuts_of(kernel)])
        or check_range(kernel, profile)
    )


def cuts_of(kernel: Kernel) -> list[SlicedPart]:
    """The part of the input that each output is.

    Raises:
        DoesNotFit: the axis is outside, or its dimension is not the number of outputs.
    """
    axis = primitive_of(kernel, Unstack).axis
    return unstack_cuts(shape_of(required(kernel, 0)), axis, len(kernel.outputs))


def lower_unstack(kernel: Kernel, builder: Builder) -> None:
    lower_cuts(kernel, builder, cuts_of(kernel))


OPERATOR = NpuOperator(
    "Unstack",
    check_unstack,
    lower_unstack,
    takes="any",
    condition="for as many outputs as the dimension of the axis",
    quantized=by_movement(check_unstack, lower_unstack),
)
