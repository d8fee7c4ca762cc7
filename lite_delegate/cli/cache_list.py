"""``lite-delegate cache list``: lists the entries of a cache."""

from __future__ import annotations

from pathlib import Path

from .cache_texts import ENTRIES, folder_of
from .frame.command import command
from .options.options import cache_folder_option, emit, format_option


@command("cache list")
@cache_folder_option
@format_option(*ENTRIES)
def cache_list(folder: Path, format_: str) -> None:
    """Lists the entries of a cache, the last used entry first."""
    emit(ENTRIES[format_](folder_of(folder).entries()), None)
