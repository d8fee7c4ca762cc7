"""Shared by normalizations: the check of epsilon."""

from __future__ import annotations

import numpy as np

from ...delegate import RejectCode, Rejected


def check_epsilon(epsilon: float, only: float | None) -> Rejected | None:
    """The epsilon is the one that the device has, where it has only one; compared as float32, as files hold it."""
    if only is None or np.float32(epsilon) == np.float32(only):
        return None
    return Rejected.by_rule(RejectCode.LIMIT, f"epsilon must be {only:g}", f"is {epsilon:g}")
