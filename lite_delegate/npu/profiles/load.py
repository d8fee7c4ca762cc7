"""Profiles by name, from this package, and by path, from a user's file."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...properties import shown
from .parse import merged, parse_profile
from .profile import Profile
from .user_file import read_user_file

MAX_BYTES = 64 * 1024
"""Size of a profile's file at most."""
SUFFIX = ".toml"
PACKAGED = Path(__file__).parent


def profile_names() -> tuple[str, ...]:
    """The names of the packaged profiles, sorted."""
    return tuple(sorted(path.stem for path in PACKAGED.glob(f"*{SUFFIX}")))


def profile_of(device_id: str) -> Profile:
    """The profile that the id of a device stands for: a platform such as "4000", or a profile's name or path.

    Raises:
        InputError: (a ValueError) the profile or file does not exist.
    """
    packaged = map(load_profile, () if is_path(device_id) else profile_names())
    found = next((each for each in packaged if each.platform == device_id.upper()), None)
    return load_profile(device_id) if found is None else found


def is_path(profile: str) -> bool:
    """True for the path of a user's file: it ends with .toml, or has a separator. Else it is a name."""
    return profile.endswith(SUFFIX) or os.sep in profile or bool(os.altsep and os.altsep in profile)


def load_profile(profile: str) -> Profile:
    """The packaged profile of that name, or the profile in a user's file.

    A user's file may have ``base = "NAME"``: a packaged profile whose keys it changes.

    Args:
        profile: a name, or a path (see ``is_path``).

    Raises:
        InputError: (a ValueError) the profile or file does not exist, or the file is no profile; one line.
    """
    if is_path(profile):
        return _load_file(profile)
    return _packaged_profile(profile)


@cache
def _packaged_profile(name: str) -> Profile:
    return parse_profile(name, _packaged(name, f"No NPU profile {shown(name)}."))


def _packaged(name: str, problem: str) -> dict[str, Any]:
    if name not in profile_names():
        raise InputError(f"{problem} Profiles: {', '.join(profile_names())}, or the path of a .toml file.")
    return _toml((PACKAGED / f"{name}{SUFFIX}").read_text(encoding="utf-8"))


def _load_file(path: str) -> Profile:
    source = f"NPU profile file {path[:200]!a}"
    data = _parsed(read_user_file(path, source, MAX_BYTES), source)
    if "base" not in data:
        return parse_profile(Path(path).stem, data, source=source)
    base = data["base"]
    problem = f"{source}: 'base' must be the name of a packaged profile, got {shown(base)}."
    below = _packaged(base if isinstance(base, str) else "", problem)
    return parse_profile(Path(path).stem, merged(below, data), source=source)


def _parsed(content: bytes, source: str) -> dict[str, Any]:
    try:
        return _toml(content.decode("utf-8"))
    except (ValueError, RecursionError) as e:  # no UTF-8, no TOML, or nested too deep
        raise InputError(f"{source} is not TOML: {' '.join(str(e).split())[:200]}.") from e


def _toml(text: str) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(text)
