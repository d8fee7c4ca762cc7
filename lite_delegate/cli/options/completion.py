"""Completions for shells: names of devices, properties and their values."""

from __future__ import annotations

from collections.abc import Iterable
from glob import escape
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from ...errors import LiteDelegateError
from ...properties import PropertySpec, words_of

DASHES = ("", "none")


def devices(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """The names of devices, and "core"."""
    from ...devices.core import CORE_NAME, Core

    return _begun([CORE_NAME, *(device.name for device in Core().devices())], incomplete)


def delegates(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """SPECs of delegates: devices and their other names, ``DEVICE:ID``, and ``isolated:`` before each of them."""
    from ...devices.registry.delegate_spec import ISOLATED

    before, inner = f"{ISOLATED}:", incomplete[len(ISOLATED) + 1 :]
    if incomplete.lower().startswith(before):
        return [before + each for each in _specs(inner) if each != "none"]
    return [*_specs(incomplete), *_begun([before], incomplete)]


def names_or_files(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The names of the commands behind the command, and files; where no name fits, the shell looks for files itself."""
    names = context.command.shell_complete(context, incomplete) if isinstance(context.command, click.Group) else []
    if not names:
        return [CompletionItem(incomplete, type="file")]
    files = sorted(path.name + "/" * path.is_dir() for path in Path().glob(f"{escape(incomplete)}*"))
    return [*names, *map(CompletionItem, files)]


def _specs(incomplete: str) -> list[str]:
    from ...devices.core import Core
    from ...devices.registry.names import ALIASES, CPU

    device, colon, _ = incomplete.partition(":")
    if colon:
        return _begun([f"{device}:{each}" for each in _ids(device)], incomplete)
    names = [device.name for device in Core().devices() if device.name != CPU]
    return _begun(["none", "auto", *names, *ALIASES], incomplete)


def _ids(device: str) -> Iterable[str]:
    """The ids of a device; none where there is no such device."""
    return next((words_of(each.kind) for each in _properties(device) if each.name == "DEVICE_ID"), ())


def options(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """``KEY=`` of the options of the delegate of ``--delegate``, and ``KEY=VALUE`` where values are words."""
    from ...devices.registry.delegate_spec import ISOLATED

    spec = context.params.get("spec") or ""
    name = (spec if isinstance(spec, str) else spec[-1] if spec else "").removeprefix(f"{ISOLATED}:")
    specs = [] if name in DASHES else _properties(name)
    key, is_given, _ = incomplete.upper().partition("=")
    if not is_given:
        return _begun([f"{each.name}=" for each in specs], incomplete)
    return _begun([f"{key}={word}" for each in specs if each.name == key for word in words_of(each.kind)], incomplete)


def _properties(device: str) -> list[PropertySpec]:
    """The properties of a device that can be set; none of a device that is not known, or that a class makes."""
    from ...devices.core import Core

    try:
        return [each for each in Core().properties(device) if not each.read_only]
    except LiteDelegateError:
        return []


def _begun(words: Iterable[str], incomplete: str) -> list[str]:
    """The words that begin with the typed text, in any case."""
    return [word for word in words if word.upper().startswith(incomplete.upper())]
