"""Reshape: claimed for a constant shape of at most four dimensions."""

from __future__ import annotations

from ...delegate import Kernel, Supported, SupportResult
from ..profiles import Profile
from ._check import SupportCheck
from ._view import check_view
from .gate import check_constants, check_operands, check_range


def check_reshape(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_operands(kernel, 2, 2)
        or check_view(kernel, profile)
        or check_constants(kernel, {1: "shape"})
        or check_range(kernel, profile)
        or Supported()
    )


CHECK = SupportCheck("Reshape", check_reshape)
