"""``lite-delegate cache verify``: reads all entries of a cache and says which are damaged."""

from __future__ import annotations

from pathlib import Path

import click

from ..basics.counted import counted
from ..cache.folder import verify
from ..reporting.plain import json_text
from .cache_texts import FORMATS, folder_of
from .options.options import cache_folder_option, emit, format_option

DAMAGED = 1
"""Exit status where an entry is damaged."""


@click.command(name="cache verify", short_help="Reads all entries of a cache and says which are damaged.")
@cache_folder_option
@format_option(*FORMATS)
def cache_verify(folder: Path, format_: str) -> None:
    """Reads all entries of a cache, and says which are damaged; then the exit status is 1."""
    found = {entry.path.name: verify(entry) for entry in folder_of(folder).entries()}
    damaged = [name for name, problem in found.items() if problem]
    if format_ == "json":
        emit(json_text({"entries": found, "damaged": damaged}), None)
    else:
        lines = [f"{name}: {problem or 'ok'}" for name, problem in found.items()]
        emit("\n".join([*lines, f"{len(damaged):,} of {counted(len(found), 'entry')} damaged"]), None)
    if damaged:
        click.get_current_context().exit(DAMAGED)
