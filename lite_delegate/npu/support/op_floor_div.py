"""FloorDiv: what may be claimed."""

from __future__ import annotations

from ...delegate import Kernel, Supported, SupportResult
from ..profiles import Profile
from ._check import SupportCheck
from ._elementwise import check_binary, check_divisor, check_ranks
from .gate import check_range


def check_floor_div(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_binary(kernel, profile)
        or check_ranks(kernel, profile)
        or check_divisor(kernel)
        or check_range(kernel, profile)
        or Supported()
    )


CHECK = SupportCheck("FloorDiv", check_floor_div)
