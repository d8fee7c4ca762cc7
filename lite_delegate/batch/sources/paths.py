"""The files of a source: paths, globs and folders, in order; and their format by the names."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from ...basics.counted import counted
from ...errors import InputError

FORMATS: Mapping[str, str] = MappingProxyType(
    {
        ".parquet": "Parquet", ".pq": "Parquet",
        ".arrow": "Arrow", ".arrows": "Arrow", ".feather": "Arrow", ".ipc": "Arrow",
        ".npy": "NPY", ".npz": "NPZ",
        ".csv": "CSV", ".tsv": "CSV",
        ".jpg": "images", ".jpeg": "images", ".png": "images", ".bmp": "images", ".gif": "images",
        ".webp": "images", ".tif": "images", ".tiff": "images", ".ppm": "images", ".pgm": "images",
    }
)  # fmt: skip
"""The format of a file by its suffix."""
HIDDEN = (".", "_")
"""The first characters of names that are no data in a folder, as Spark and pyarrow have it."""


def found_files(source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> tuple[str, tuple[str, ...]]:
    """The format and the files of a source. The files of a folder are sorted by their paths in it.

    Args:
        source: a file, a folder, a pattern with ``*``, ``?``, ``[...]`` or ``**``; or several of these, in order.

    Raises:
        InputError: there are no files, a path does not exist, or the files have several formats or an unknown one.
    """
    several = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    files = [file for each in several for file in _files(os.fspath(each))]
    named = " ".join(f"'{os.fspath(each)}'" for each in several)
    formats = Counter(FORMATS.get(Path(file).suffix.lower(), "") for file in files)
    if "" in formats:
        first = next(file for file in files if Path(file).suffix.lower() not in FORMATS)
        raise InputError(f"'{first}' is of no format that is read; expected {', '.join(sorted(FORMATS))}.")
    if len(formats) > 1:
        found = ", ".join(f"{counted(number, 'file')} of {name}" for name, number in formats.most_common())
        raise InputError(f"{named} has files of several formats ({found}); name one by a pattern such as '*.png'.")
    if not files:
        raise InputError(f"{named} has no files of a format that is read.")
    return next(iter(formats)), tuple(files)


def _files(text: str) -> list[str]:
    if os.path.isdir(text):
        return _in_folder(text)
    if os.path.exists(text):
        return [text]
    if glob.has_magic(text):
        found = sorted(file for file in glob.glob(text, recursive=True) if os.path.isfile(file))
        if found:
            return found
        raise InputError(f"No file has a name like '{text}'.")
    raise InputError(f"'{text}' does not exist.")


def _in_folder(folder: str) -> list[str]:
    found: list[str] = []
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(HIDDEN)]
        known = (n for n in names if not n.startswith(HIDDEN) and Path(n).suffix.lower() in FORMATS)
        found += (os.path.join(at, name) for name in known)
    return sorted(found)
