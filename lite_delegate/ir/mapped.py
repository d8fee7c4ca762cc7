"""Constants that lie in a mapped file."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any

import numpy as np

from ..data_class import dataclass


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Where in a file an array lies.

    Attributes:
        path: of the file.
        offset: of its first byte.
        nbytes: that it takes.
    """

    path: Path
    offset: int
    nbytes: int


def file_place(array: np.ndarray[Any, Any]) -> FilePlace | None:
    """Where in a mapped file an array lies; nothing of it is read. None: elsewhere, or not in one piece."""
    owner = _mapping(array)
    path = getattr(owner, "path", None)
    return None if owner is None or path is None else FilePlace(path, _offset(array, owner), array.nbytes)


def drop_pages(array: np.ndarray[Any, Any]) -> None:
    """Gives back the memory of an array in a mapped file once it has been used; read again, it comes from the file.

    Pages that hold other bytes too are kept. Arrays that lie elsewhere, or not in one piece, stay as they are.
    """
    owner = _mapping(array)
    if owner is None or not hasattr(mmap, "MADV_DONTNEED"):
        return
    offset = _offset(array, owner)
    first = -(-offset // mmap.PAGESIZE) * mmap.PAGESIZE
    last = (offset + array.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE
    if first < last:
        owner.madvise(mmap.MADV_DONTNEED, first, last - first)


def _mapping(array: np.ndarray[Any, Any]) -> mmap.mmap | None:
    """The mapped file that an array lies in, in one piece."""
    owner: Any = array
    while isinstance(owner, (np.ndarray, memoryview)):
        owner = owner.base if isinstance(owner, np.ndarray) else owner.obj
    return owner if isinstance(owner, mmap.mmap) and array.flags.c_contiguous else None


def _offset(array: np.ndarray[Any, Any], owner: mmap.mmap) -> int:
    return int(array.ctypes.data - np.frombuffer(owner, np.uint8, 1).ctypes.data)
