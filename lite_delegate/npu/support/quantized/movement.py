"""Quantized operators that move integers: claimed where the operator is on real numbers."""

from __future__ import annotations

from dataclasses import replace

from ....delegate import Kernel, Rejected, Supported, SupportResult
from ...profiles import Profile
from .._check import SupportCheck
from ._gate import check_dtypes, check_output_stored, check_per_tensor, stored_tensors


def by_movement(on_reals: SupportCheck) -> SupportCheck:
    """The check of the quantized form of an operator that changes no element."""

    def check(kernel: Kernel, profile: Profile) -> SupportResult:
        rejected = check_output_stored(kernel) or check_dtypes(kernel, profile)
        if rejected is not None:
            return rejected
        on_shapes = on_reals.check(kernel, replace(profile, dtypes=profile.quantized))
        if isinstance(on_shapes, Rejected):
            return on_shapes
        return check_per_tensor(stored_tensors(kernel)) or Supported()

    return SupportCheck(on_reals.op_type, check)
