"""StridedSlice: claimed for constant positions, with all masks, in both of its forms."""

from __future__ import annotations

from ...delegate import Kernel, Supported, SupportResult
from ..ops.op_strided_slice import cuts_of
from ..profiles import Profile
from ._check import SupportCheck
from .gate import MOVABLE, check_constants, check_fits, check_operands, check_range, check_tensors


def check_strided_slice(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel.

    NOTE: MindSpore Lite's NPU takes axes 0, 1, 2, ... only, and moves integers through floats. Here axes may be in
    any order, and integers stay what they are.
    """
    last = {3: "strides"} if len(kernel.operands) == 4 else {3: "axes", 4: "strides"}
    return (
        check_operands(kernel, 4, 5)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE)
        or check_constants(kernel, {1: "begin", 2: "end", **last})
        or check_fits(kernel, lambda: [cut.shape for cut in cuts_of(kernel)])
        or check_range(kernel, profile)
        or Supported()
    )


CHECK = SupportCheck("StridedSlice", check_strided_slice)
