"""Quantised operators that move integers: claimed where the operator is on real numbers."""

from __future__ import annotations

from dataclasses import replace

from ....delegate import Kernel, Rejected, Supported, SupportResult
from ...profiles import Profile
from .._check import SupportCheck
from ._gate import check_dtypes, check_output_stored, check_per_tensor, stored_tensors


def by_movement(on_reals: SupportCheck) -> SupportCheck:
    """The check of the quantised form of an operator that changes no element."""

    def check(kernel: Kernel, profile: Profile) -> SupportResult:
        refused = check_output_stored(kernel) or check_dtypes(kernel, profile)
        if refused is not None:
            return refused
        on_shapes = on_reals.check(kernel, replace(profile, dtypes=profile.quantised))
        if isinstance(on_shapes, Rejected):
            return on_shapes
        return check_per_tensor(stored_tensors(kernel)) or Supported()

    return SupportCheck(on_reals.op_type, check)
