"""``lite-delegate cache prune``: removes the entries that were used least recently."""

from __future__ import annotations

from pathlib import Path

import click

from .cache_texts import REMOVED, folder_of
from .frame.command import command
from .options.options import cache_folder_option, emit, format_option


@command("cache prune")
@cache_folder_option
@click.option("--size", type=click.IntRange(1), required=True, metavar="BYTES", help="The most bytes to keep.")
@format_option(*REMOVED)
def cache_prune(folder: Path, size: int, format_: str) -> None:
    """Removes the entries that were used least recently, until the cache has at most BYTES."""
    emit(REMOVED[format_](folder_of(folder).prune(size)), None)
