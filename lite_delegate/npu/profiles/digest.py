"""The digest of a profile, which identifies the profile that a program was compiled for."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace

from .presence import Presence
from .profile import Profile


def profile_hash(profile: Profile) -> str:
    """The hexadecimal SHA-256 of a profile's values.

    Name, description, when it is there, and how models come to its compiler are left out: they change nothing of what
    is compiled. So is how many compute tiles it has: those that a program was compiled for are noted beside it.
    """
    values = asdict(replace(profile.with_tiles(1), name="", description="", presence=Presence()))
    del values["driver_ir"]
    return hashlib.sha256(json.dumps(values, sort_keys=True, default=sorted).encode()).hexdigest()
