"""Vendors' packages: `make vendors` installs those that the machine can have; tests skip without them."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def need(module: str, package: str) -> None:
    """Skips the tests of a file where a package is not installed."""
    if find_spec(module) is None:
        pytest.skip(f"'{package}' is not installed: make vendors", allow_module_level=True)
