"""Rewrites that follow the limits of a delegate."""

from .follow_limits import FollowLimitsPass
from .rewrite import Rewrite

__all__ = ["FollowLimitsPass", "Rewrite"]
