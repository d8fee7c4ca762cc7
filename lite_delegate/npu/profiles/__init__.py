"""The differences between devices: one TOML file per profile, packaged or a user's."""

from .load import load_profile, profile_names
from .parse import parse_profile
from .profile import FLOATING, Compute, Defaults, Memory, OperatorLimits, Profile

__all__ = [
    "FLOATING",
    "Compute",
    "Defaults",
    "OperatorLimits",
    "Memory",
    "Profile",
    "load_profile",
    "parse_profile",
    "profile_names",
]
