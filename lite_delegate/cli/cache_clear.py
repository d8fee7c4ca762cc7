"""``lite-delegate cache clear``: removes all entries of a cache."""

from __future__ import annotations

from pathlib import Path

from .cache_texts import REMOVED, folder_of
from .frame.command import command
from .options.options import cache_folder_option, emit, format_option


@command("cache clear")
@cache_folder_option
@format_option(*REMOVED)
def cache_clear(folder: Path, format_: str) -> None:
    """Removes all entries of a cache, and files left by killed writers."""
    emit(REMOVED[format_](folder_of(folder).clear()), None)
