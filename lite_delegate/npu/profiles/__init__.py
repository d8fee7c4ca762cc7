"""Profiles of devices: one TOML file per profile, packaged or a user's."""

from .bounds import OperatorBounds
from .load import is_path, load_profile, profile_names, profile_of
from .parse import parse_profile
from .presence import Presence, why_absent
from .profile import FLOATING, MOST_TILES, Compute, Defaults, Memory, OperatorLimits, Profile

__all__ = [
    "FLOATING",
    "MOST_TILES",
    "Compute",
    "Defaults",
    "Memory",
    "OperatorBounds",
    "OperatorLimits",
    "Presence",
    "Profile",
    "is_path",
    "load_profile",
    "parse_profile",
    "profile_names",
    "profile_of",
    "why_absent",
]
