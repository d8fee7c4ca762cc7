"""The differences between devices: one TOML file per profile, packaged or a user's."""

from .bounds import OperatorBounds
from .load import load_profile, profile_names
from .parse import parse_profile
from .presence import Presence, why_absent
from .profile import FLOATING, Compute, Defaults, Memory, OperatorLimits, Profile

__all__ = [
    "FLOATING",
    "Compute",
    "Defaults",
    "Memory",
    "OperatorBounds",
    "OperatorLimits",
    "Presence",
    "Profile",
    "load_profile",
    "parse_profile",
    "profile_names",
    "why_absent",
]
