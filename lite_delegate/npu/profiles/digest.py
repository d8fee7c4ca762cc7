"""The digest of a profile, which identifies the profile that a program was compiled for."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace

from .presence import Presence
from .profile import Profile


def profile_hash(profile: Profile) -> str:
    """The hexadecimal SHA-256 of a profile's values.

    Name, description, presence and the versions of in-memory models are left out: they do not change the compiled
    programs. So is the number of compute tiles: the tiles that a program was compiled for are noted beside it.
    """
    values = asdict(replace(profile.with_tiles(1), name="", description="", presence=Presence()))
    del values["driver_ir"]
    return hashlib.sha256(json.dumps(values, sort_keys=True, default=sorted).encode()).hexdigest()
