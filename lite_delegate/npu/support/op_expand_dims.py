"""ExpandDims: claimed where the axes are known before the model runs."""

from __future__ import annotations

from ...delegate import Kernel, Supported, SupportResult
from ..profiles import Profile
from ._check import SupportCheck
from ._view import check_view
from .gate import check_constants, check_operands, check_range


def check_expand_dims(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_operands(kernel, 2, 2)
        or check_view(kernel, profile)
        or check_constants(kernel, {1: "axis"})
        or check_range(kernel, profile)
        or Supported()
    )


CHECK = SupportCheck("ExpandDims", check_expand_dims)
