"""Shared by comparisons: two inputs of one kind, and an output of bools."""

from __future__ import annotations

from collections.abc import Collection

from ...basics.counted import counted
from ...delegate import Kernel, RejectCode, Rejected
from ...ir.types.data_type import DataType
from ...semantics.operands import required
from ..device.instructions.comparison import Compare, ComparisonFunction
from ..ir.builder import Builder
from ..profiles import Profile
from ._binary import check_broadcast, check_ranks, lower_pair
from .gate import FLOATING, INTEGERS, WHOLE, check_operands, check_range, check_tensors
from .quantized.reals import through_reals
from .record import NpuOperator

LIMITS = ("arithmetic_equal_ranks",)


def comparison(
    op_type: str,
    asked: ComparisonFunction,
    *,
    of_bools: bool = False,
    rejected_rank: str | None = None,
) -> NpuOperator:
    """One comparison.

    Args:
        op_type: the operator.
        asked: the relation of the comparison.
        of_bools: whether it takes bools as well.
        rejected_rank: the limit that names the one rank of input 0 that some drivers get wrong.
    """
    more_dtypes = WHOLE if of_bools else INTEGERS

    def check(kernel: Kernel, profile: Profile) -> Rejected | None:
        rank = None if rejected_rank is None else getattr(profile.limits, rejected_rank)
        return (
            check_comparison(kernel, profile, more_dtypes)
            or check_rejected_rank(kernel, rank)
            or check_range(kernel, profile)
        )

    def lower(kernel: Kernel, builder: Builder) -> None:
        lower_pair(kernel, builder, Compare(asked))

    takes = "real, int32, bool; the result is bool" if of_bools else "real, int32; the result is bool"
    limits = LIMITS if rejected_rank is None else (*LIMITS, rejected_rank)
    condition = "where the inputs broadcast to the output"
    return NpuOperator(op_type, check, lower, takes, condition, limits, through_reals(check, lower))


def check_comparison(kernel: Kernel, profile: Profile, more_dtypes: Collection[DataType]) -> Rejected | None:
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


def check_rejected_rank(kernel: Kernel, rejected: int | None) -> Rejected | None:
    """Rejects an input 0 of the rank that some drivers get wrong; ``rejected`` None: no rank is wrong."""
    x = required(kernel, 0)
    if rejected is None or len(x.shape) != rejected:
        return None
    return Rejected.by_rule(
        RejectCode.RANK, f"input 0 must not have {counted(rejected, 'dimension')}", f"has shape {x.shape}"
    )


def _check_kinds(kernel: Kernel, dtypes: Collection[DataType]) -> Rejected | None:
    a, b, out = required(kernel, 0).dtype, required(kernel, 1).dtype, kernel.outputs[0].dtype
    if out != DataType.BOOL:
        return Rejected.by_rule(RejectCode.DTYPE, "output 0 must be BOOL", f"is {out.name}", out)
    if a not in dtypes or not (a == b or {a, b} <= FLOATING):
        known = ", ".join(d.name for d in sorted(dtypes))
        return Rejected.by_rule(
            RejectCode.DTYPE,
            f"inputs must both be one of {known}",
            f"are {a.name} and {b.name}",
            b if a in dtypes else a,
        )
    return None
