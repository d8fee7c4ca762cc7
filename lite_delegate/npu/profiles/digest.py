"""The digest of a profile, by which what was compiled for it is known again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace

from .profile import Profile


def profile_hash(profile: Profile) -> str:
    """The hexadecimal SHA-256 of a profile's values, name and description left out: they change nothing."""
    values = asdict(replace(profile, name="", description=""))
    return hashlib.sha256(json.dumps(values, sort_keys=True, default=sorted).encode()).hexdigest()
