"""Completions for shells: names of devices, properties and their values."""

from __future__ import annotations

from collections.abc import Iterable

import click

DASHES = ("", "none")


def devices(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """The names of devices, and "core"."""
    from ...devices.core import CORE_NAME, Core

    return _begun([CORE_NAME, *(device.name for device in Core().devices())], incomplete)


def delegates(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """The names of devices that are delegates."""
    from ...devices.core import Core
    from ...devices.registry.names import CPU

    names = [device.name for device in Core().devices() if device.name != CPU]
    return _begun(["none", *names], incomplete)


def options(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """``KEY=`` of the options of the delegate of ``--delegate``, and ``KEY=VALUE`` where values are words."""
    from ...devices.core import Core
    from ...errors import LiteDelegateError
    from ...properties import words_of

    spec = context.params.get("spec") or ""
    name = spec if isinstance(spec, str) else spec[-1] if spec else ""
    if name in DASHES:
        return []
    try:
        specs = [each for each in Core().properties(name) if not each.read_only]
    except LiteDelegateError:  # no such device, or one that a class in a file is made of
        return []
    key, is_given, _ = incomplete.upper().partition("=")
    if not is_given:
        return _begun([f"{each.name}=" for each in specs], incomplete)
    return _begun([f"{key}={word}" for each in specs if each.name == key for word in words_of(each.kind)], incomplete)


def _begun(words: Iterable[str], incomplete: str) -> list[str]:
    """The words that begin with the typed text, in any case."""
    return [word for word in words if word.upper().startswith(incomplete.upper())]
