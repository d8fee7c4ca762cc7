"""``lite-delegate cache verify``: reads all entries of a cache and says which are damaged."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from ..basics.counted import counted
from ..cache.folder import verify
from ..reporting.forms import forms
from .cache_texts import folder_of
from .frame.command import command
from .options.options import cache_folder_option, emit, format_option

DAMAGED = 1
"""Exit status where an entry is damaged."""


def _text(found: Mapping[str, Any]) -> str:
    lines = [f"{name}: {problem or 'ok'}" for name, problem in found["entries"].items()]
    return "\n".join([*lines, f"{len(found['damaged']):,} of {counted(len(lines), 'entry')} damaged"])


FORMS = forms(_text)


@command("cache verify")
@cache_folder_option
@format_option(*FORMS)
def cache_verify(folder: Path, format_: str) -> None:
    """Reads all entries of a cache, and says which are damaged; then the exit status is 1."""
    found = {entry.path.name: verify(entry) for entry in folder_of(folder).entries()}
    damaged = [name for name, problem in found.items() if problem]
    emit(FORMS[format_]({"entries": found, "damaged": damaged}), None)
    if damaged:
        click.get_current_context().exit(DAMAGED)
