"""Where pytest finds the conformance suite: ``pytest --pyargs lite_delegate.conformance --delegate SPEC``.

A package of its own, because pytest imports its plugins in every session of an environment: this one imports nothing
and adds no option unless the session asks for the suite.
"""

from __future__ import annotations

import os

import pytest

SUITE = "lite_delegate.conformance"


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Loads the suite, with its options, when an argument names it."""
    if any(_names_suite(argument) for argument in args):
        early_config.pluginmanager.import_plugin(f"{SUITE}.pytest_suite")


def _names_suite(argument: str) -> bool:
    path = argument.partition("::")[0].replace(os.sep, "/").rstrip("/")
    return path == SUITE or path.endswith((SUITE.replace(".", "/"), "lite_delegate/conformance/pytest_suite.py"))
