"""``lite-delegate cache list``: lists the entries of a cache."""

from __future__ import annotations

from pathlib import Path

import click

from .cache_texts import ENTRIES, folder_of
from .options.options import cache_folder_option, emit, format_option


@click.command(name="cache list", short_help="Lists the entries of a cache.")
@cache_folder_option
@format_option(*ENTRIES)
def cache_list(folder: Path, format_: str) -> None:
    """Lists the entries of a cache, the last used entry first."""
    emit(ENTRIES[format_](folder_of(folder).entries()), None)
