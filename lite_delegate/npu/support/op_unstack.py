"""Unstack: claimed where the node has one output per position of the axis."""

from __future__ import annotations

from ...delegate import Kernel, Supported, SupportResult
from ..ops.op_unstack import cuts_of
from ..profiles import Profile
from ._check import SupportCheck
from .gate import MOVABLE, check_fits, check_operands, check_range, check_tensors


def check_unstack(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_operands(kernel, 1, 1, outputs=None)
        or check_tensors(kernel, profile, more_dtypes=MOVABLE)
        or check_fits(kernel, lambda: [cut.shape for cut in cuts_of(kernel)])
        or check_range(kernel, profile)
        or Supported()
    )


CHECK = SupportCheck("Unstack", check_unstack)
