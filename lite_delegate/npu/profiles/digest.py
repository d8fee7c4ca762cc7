"""The digest of a profile, by which what was compiled for it is known again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace

from .profile import Profile


def profile_hash(profile: Profile) -> str:
    """The hexadecimal SHA-256 of a profile's values.

    Name, description, and how models come to its compiler are left out: they change nothing of what is compiled.
    """
    values = asdict(replace(profile, name="", description=""))
    del values["driver_ir"]
    return hashlib.sha256(json.dumps(values, sort_keys=True, default=sorted).encode()).hexdigest()
