"""Transpose: a permute."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.axes import Axes
from ...semantics.operands import int_values, normalized, required
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import MOVABLE, check_constants, check_operands, check_output_shape, check_range, check_tensors
from .quantized.movement import by_movement
from .record import NpuOperator

NWC_TO_NCW = (0, 2, 1)
"""The meaning of the four-long permutation (0, 3, 1, 2) or (0, 2, 3, 1) for a tensor of rank 3."""

LAYOUT_CHANGES = ((0, 3, 1, 2), (0, 2, 3, 1))
"""From NHWC to NCHW, and back."""


def check_transpose(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_operands(kernel, 2, 2)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE)
        or check_constants(kernel, {1: "perm"})
        or _check_permutation(kernel)
        or (_check_layouts(kernel) if profile.limits.transpose_layouts_only else None)
        or check_range(kernel, profile)
    )


def _check_permutation(kernel: Kernel) -> Rejected | None:
    shape, given = required(kernel, 0).shape, int_values(required(kernel, 1))
    permutation = resolved_permutation(given, len(shape))
    if sorted(permutation) != list(range(len(shape))):
        reason = f"perm must name each axis of {shape} once, is {list(given)}"
        return Rejected(RejectCode.ATTRIBUTE, reason, "perm must name each axis once")
    return check_output_shape(kernel, [shape[axis] for axis in permutation])


def _check_layouts(kernel: Kernel) -> Rejected | None:
    """Four dimensions, from NHWC to NCHW or back."""
    shape, given = required(kernel, 0).shape, int_values(required(kernel, 1))
    if len(shape) == len(given) and given in LAYOUT_CHANGES:
        return None
    wanted = " or ".join(str(list(perm)) for perm in LAYOUT_CHANGES)
    found = f"is {list(given)} for {shape}"
    return Rejected.by_rule(RejectCode.LIMIT, f"perm must be {wanted}, of four dimensions", found)


def resolved_permutation(given: Axes, rank: int) -> Axes:
    """The permutation for a tensor of that rank.

    None given reverses the axes; four axes for rank 3 swap the last two; any other length changes nothing.
    Negative axes count from the end.
    """
    if not given:
        return tuple(reversed(range(rank)))
    if len(given) == rank:
        return tuple(normalized(axis, rank) for axis in given)
    return NWC_TO_NCW if (len(given), rank) == (4, 3) else tuple(range(rank))


def lower_transpose(kernel: Kernel, builder: Builder) -> None:
    """Emits a permute.

    NOTE: MindSpore Lite's NPU takes only the two layout permutations and runs each on the host, between two
    device models. Here a permute is an instruction like any other, so every permutation is taken; a profile may
    allow the two layout permutations only.
    """
    x, out = required(kernel, 0), kernel.outputs[0]
    permutation = resolved_permutation(int_values(required(kernel, 1)), len(x.shape))
    builder.alias(out, builder.permuted(builder.read(x), permutation))


OPERATOR = NpuOperator(
    "Transpose",
    check_transpose,
    lower_transpose,
    takes="any",
    condition="for every constant permutation",
    limits=("transpose_layouts_only",),
    quantized=by_movement(check_transpose, lower_transpose),
)
