"""What claiming comparisons has in common."""

from __future__ import annotations

from collections.abc import Collection

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.data_type import DataType
from ..profiles import Profile
from ..semantics.operands import required
from ._check import SupportCheck
from ._elementwise import INTEGERS, check_broadcast, check_ranks
from .gate import FLOATING, check_operands, check_range, check_tensors


def check_comparison(kernel: Kernel, profile: Profile, more_dtypes: Collection[DataType] = INTEGERS) -> Rejected | None:
    """Two inputs of one kind that broadcast to the output, which is bool.

    Real numbers are compared as the device holds them, rounded: two that float16 cannot tell apart are equal.
    """
    return (
        check_operands(kernel, 2, 2)
        or check_tensors(kernel, profile, more_dtypes={*more_dtypes, DataType.BOOL}, mixed=True)
        or _check_kinds(kernel, profile.dtypes.union(more_dtypes))
        or check_broadcast(kernel)
        or check_ranks(kernel, profile)
    )


def comparison(op_type: str, more_dtypes: Collection[DataType] = INTEGERS) -> SupportCheck:
    """The check of a comparison without a condition of its own."""

    def check(kernel: Kernel, profile: Profile) -> SupportResult:
        return check_comparison(kernel, profile, more_dtypes) or check_range(kernel, profile) or Supported()

    return SupportCheck(op_type, check)


def check_rejected_rank(kernel: Kernel, rejected: int | None) -> Rejected | None:
    """Input 0 is not of the one rank that some drivers get wrong; None: there is no such rank."""
    x = required(kernel, 0)
    if rejected is None or len(x.shape) != rejected:
        return None
    return Rejected(RejectCode.RANK, f"input 0 must not have {rejected} dimensions, has shape {x.shape}")


def _check_kinds(kernel: Kernel, dtypes: Collection[DataType]) -> Rejected | None:
    a, b, out = required(kernel, 0).dtype, required(kernel, 1).dtype, kernel.outputs[0].dtype
    if out != DataType.BOOL:
        return Rejected(RejectCode.DTYPE, f"output 0 must be BOOL, is {out.name}")
    if a not in dtypes or not (a == b or {a, b} <= FLOATING):
        known = ", ".join(d.name for d in sorted(dtypes))
        return Rejected(RejectCode.DTYPE, f"inputs must both be one of {known}, are {a.name} and {b.name}")
    return None
