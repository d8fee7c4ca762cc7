"""Transpose: claimed for every constant permutation."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ..ops.op_transpose import resolved_permutation
from ..profiles import Profile
from ..semantics.operands import int_values, required
from ._check import SupportCheck
from .gate import MOVABLE, check_constants, check_operands, check_output_shape, check_range, check_tensors


def check_transpose(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_operands(kernel, 2, 2)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE)
        or check_constants(kernel, {1: "perm"})
        or _check_permutation(kernel)
        or check_range(kernel, profile)
        or Supported()
    )


def _check_permutation(kernel: Kernel) -> Rejected | None:
    shape, given = required(kernel, 0).shape, int_values(required(kernel, 1))
    permutation = resolved_permutation(given, len(shape))
    if sorted(permutation) != list(range(len(shape))):
        return Rejected(RejectCode.ATTRIBUTE, f"perm must name each axis of {shape} once, is {list(given)}")
    return check_output_shape(kernel, [shape[axis] for axis in permutation])


CHECK = SupportCheck("Transpose", check_transpose)
