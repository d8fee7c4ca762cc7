"""Presence of a runtime's package, checked without importing it."""

from __future__ import annotations

import sys
from importlib.util import find_spec


def is_installed(package: str) -> bool:
    """Whether a package is installed; it is not imported."""
    try:
        return find_spec(package) is not None
    except ValueError:  # it is in sys.modules without a specification
        return False


def is_loaded(package: str) -> bool:
    """Whether the package was imported in this process."""
    return sys.modules.get(package) is not None
