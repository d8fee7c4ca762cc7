"""The version of the converter that wrote a file."""

from __future__ import annotations

PREFIX = "MindSpore Lite "
"""The beginning of the version in every converter's file, since they say who they are."""


def is_before(version: str | None, release: str) -> bool:
    """True for files of converters older than ``release`` ("1.3.0").

    NOTE: the last five characters are compared as text, as MindSpore Lite does.
    """
    return version is not None and version[-5:] < release


def counts_as_before(version: str | None, release: str) -> bool:
    """Like ``is_before``, and true where the version is missing or does not name the converter."""
    return version is None or not version.startswith(PREFIX) or is_before(version, release)
