"""The texts and JSON of cache entries and of their changes, for the commands on caches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..basics.counted import counted
from ..cache import CacheOptions
from ..cache.folder import CacheFolder, Entry, age_text
from ..reporting.forms import as_json, forms
from ..reporting.terminal import table


def folder_of(path: Path) -> CacheFolder:
    """The cache in a folder.

    Raises:
        InputError: the folder is a file.
        NotADirectoryError: there is no such folder.
    """
    options = CacheOptions(path)
    if not path.is_dir():
        raise NotADirectoryError(20, "there is no such folder", str(path))
    return CacheFolder(options)


def _plain(entry: Entry) -> dict[str, Any]:
    """Keys are only ever added."""
    return {
        "path": str(entry.path),
        "bytes": entry.nbytes,
        "used": entry.used,
        "key": entry.digest,
        "fields": entry.fields,
        "problem": entry.problem,
    }


def _entries(entries: Sequence[Entry]) -> str:
    rows = [(each.path.name, f"{each.nbytes:,}", age_text(each), _of(each)) for each in entries]
    total = sum(each.nbytes for each in entries)
    shown = table(("entry", "bytes", "used", "content, devices"), rows, right=("bytes",), wrap=("content, devices",))
    return f"{shown}\n\n{counted(len(entries), 'entry')}, {counted(total, 'byte')}"


def _removed(removed: Sequence[Path]) -> str:
    return "\n".join([*(f"removed {path.name}" for path in removed), f"{counted(len(removed), 'entry')} removed"])


def _of(entry: Entry) -> str:
    if entry.problem:
        return entry.problem
    if not entry.fields:
        return "encrypted"
    devices = ", ".join(map(str, entry.fields.get("devices", ()))) or "CPU"
    return f"{str(entry.fields.get('content', ''))[:8]}..., {devices}"


ENTRIES = forms(_entries, json=lambda entries: as_json({"entries": list(map(_plain, entries))}))
"""The forms of the entries of a cache."""
REMOVED = forms(_removed, json=lambda paths: as_json({"removed": list(map(str, paths))}))
"""The forms of the files of entries that were removed."""
