"""Unsqueeze: claimed where the output keeps within the rank limit."""

from __future__ import annotations

from ...delegate import Kernel, Supported, SupportResult
from ..profiles import Profile
from ._check import SupportCheck
from ._view import check_view
from .gate import check_operands, check_range


def check_unsqueeze(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return check_operands(kernel, 1, 1) or check_view(kernel, profile) or check_range(kernel, profile) or Supported()


CHECK = SupportCheck("Unsqueeze", check_unsqueeze)
