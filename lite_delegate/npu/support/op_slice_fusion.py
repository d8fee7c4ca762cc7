"""SliceFusion: claimed for a constant box inside of the input."""

from __future__ import annotations

from ...delegate import Kernel, Supported, SupportResult
from ..ops.op_slice_fusion import cuts_of
from ..profiles import Profile
from ._check import SupportCheck
from .gate import MOVABLE, check_constants, check_fits, check_operands, check_range, check_tensors


def check_slice_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_operands(kernel, 3, 3)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE)
        or check_constants(kernel, {1: "begin", 2: "size"})
        or check_fits(kernel, lambda: [cut.shape for cut in cuts_of(kernel)])
        or check_range(kernel, profile)
        or Supported()
    )


CHECK = SupportCheck("SliceFusion", check_slice_fusion)
