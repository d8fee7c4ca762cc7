"""The files of a source: paths, globs and folders, in order; and their format by the names."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...errors import InputError

FORMATS: Mapping[str, str] = MappingProxyType(
    {
        ".parquet": "Parquet", ".pq": "Parquet",
        ".arrow": "Arrow", ".arrows": "Arrow", ".feather": "Arrow", ".ipc": "Arrow",
        ".npy": "NPY", ".npz": "NPY",
        ".csv": "CSV", ".tsv": "CSV",
        ".jpg": "images", ".jpeg": "images", ".png": "images", ".bmp": "images", ".gif": "images",
        ".webp": "images", ".tif": "images", ".tiff": "images", ".ppm": "images", ".pgm": "images",
    }
)  # fmt: skip
"""The format of a file by its suffix."""
HIDDEN = (".", "_")
"""The first characters of names that are no data in a folder, as Spark and pyarrow have it."""


PACKED = (".gz", ".bz2", ".xz", ".zst", ".lz4", ".zip", ".tgz")
"""Suffixes of compressed files."""


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The files of a source.

    Attributes:
        format: the name of their format.
        paths: in the order of the rows.
        names: the path of each file in its source: below the folder, or below the folders of a pattern that are
            written out; the file's name where a file is named. With "/" on each system.
    """

    format: str
    paths: tuple[str, ...]
    names: tuple[str, ...]


def found_files(source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> FoundFiles:
    """The files of a source. The files of a folder are sorted by their paths in it.

    Args:
        source: a file, a folder, a pattern with ``*``, ``?``, ``[...]`` or ``**``; or several of these, in order.

    Raises:
        InputError: there are no files, a path does not exist, or the files have several formats or an unknown one.
    """
    several = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    pairs = [pair for each in several for pair in _files(os.fspath(each))]
    named = " ".join(f"'{os.fspath(each)}'" for each in several)
    unknown = next((path for path, _ in pairs if _suffix(path) not in FORMATS), None)
    if unknown is not None:
        raise InputError(_why_not_read(unknown))
    formats = Counter(FORMATS[_suffix(path)] for path, _ in pairs)
    if len(formats) > 1:
        found = ", ".join(f"{counted(number, 'file')} of {name}" for name, number in formats.most_common())
        raise InputError(f"{named} has files of several formats ({found}); name one by a pattern such as '*.png'.")
    if not pairs:
        raise InputError(f"{named} has no files of a format that is read.")
    return FoundFiles(next(iter(formats)), tuple(path for path, _ in pairs), tuple(name for _, name in pairs))


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].lower()


def _why_not_read(path: str) -> str:
    if _suffix(path) in PACKED:
        return f"'{path}' is compressed as a whole, so that no part of it can be read alone; unpack it first."
    return f"'{path}' is of no format that is read; expected {', '.join(sorted(FORMATS))}."


def _files(text: str) -> list[tuple[str, str]]:
    """The path and the name of each file."""
    if os.path.isdir(text):
        return _in_folder(text)
    if os.path.exists(text):
        return [(text, os.path.basename(text))]
    if glob.has_magic(text):
        found = sorted(file for file in glob.glob(text, recursive=True) if os.path.isfile(file))
        if found:
            return [(file, _name(file, _written_out(text))) for file in found]
        raise InputError(f"No file has a name like '{text}'.")
    raise InputError(f"'{text}' does not exist.")


def _written_out(pattern: str) -> str:
    """The folder that a pattern begins with."""
    folder = os.path.dirname(pattern)
    while glob.has_magic(folder):
        folder = os.path.dirname(folder)
    return folder


def _name(path: str, folder: str) -> str:
    return os.path.relpath(path, folder or ".").replace(os.sep, "/")


def _in_folder(folder: str) -> list[tuple[str, str]]:
    found: list[str] = []
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(HIDDEN)]
        found += (os.path.join(at, n) for n in names if not n.startswith(HIDDEN) and _suffix(n) in FORMATS)
    return [(path, _name(path, folder)) for path in sorted(found)]
