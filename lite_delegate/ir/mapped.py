"""Constants that lie in a mapped file."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief

if TYPE_CHECKING:
    from .graph import Graph


@dataclass(frozen=True, slots=True)
class FilePlace(Brief):
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
    """Where in a mapped file an array lies, which is not read. None: elsewhere, in pieces, or in another order."""
    owner = _mapping(array) if array.flags.c_contiguous else None
    path = getattr(owner, "path", None)
    return None if owner is None or path is None else FilePlace(path, _offset(array, owner), array.nbytes)


def stored_place(array: np.ndarray[Any, Any]) -> tuple[FilePlace, int] | None:
    """Where in a mapped file an array lies in any order of axes, and the bytes from there to its first element.

    None: elsewhere, or in pieces.
    """
    owner = _mapping(array)
    path = getattr(owner, "path", None)
    if owner is None or path is None:
        return None
    return FilePlace(path, _offset(array, owner), array.nbytes), _address(array) - _bounds(array)[0]


def files_of(graph: Graph) -> list[Path]:
    """The files that constants of a graph and its subgraphs lie in, each once."""
    places = (
        file_place(value.data)
        for each in graph.all_graphs()
        for value in each.values()
        if value.data is not None and not value.data.dtype.hasobject
    )
    return list(dict.fromkeys(place.path for place in places if place is not None))


def is_current(array: np.ndarray[Any, Any]) -> bool:
    """Whether an array lies in a mapped file that is still at its path, and was not written to since it was mapped."""
    told = getattr(_mapping(array), "is_current", None)
    return told is not None and bool(told())


def is_at_place(array: np.ndarray[Any, Any]) -> bool:
    """Whether an array lies in a mapped file that is still the one at its path; for files that nobody writes to."""
    told = getattr(_mapping(array), "is_at_path", None)
    return told is not None and bool(told())


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
    """The mapped file that an array lies in, in one piece, in any order."""
    owner: Any = array
    while isinstance(owner, (np.ndarray, memoryview)):
        owner = owner.base if isinstance(owner, np.ndarray) else owner.obj
    first, end = _bounds(array)
    return owner if isinstance(owner, mmap.mmap) and end - first == array.nbytes else None


def _address(array: np.ndarray[Any, Any]) -> int:
    """The address of its first element."""
    return int(array.__array_interface__["data"][0])


def _bounds(array: np.ndarray[Any, Any]) -> tuple[int, int]:
    """The addresses of its first byte, and behind its last. numpy's own function is elsewhere in each release."""
    first = _address(array)
    if not array.size:
        return first, first
    ends = [stride * (dim - 1) for stride, dim in zip(array.strides, array.shape, strict=True)]
    return first + sum(min(0, end) for end in ends), first + sum(max(0, end) for end in ends) + array.itemsize


def _offset(array: np.ndarray[Any, Any], owner: mmap.mmap) -> int:
    return _bounds(array)[0] - _address(np.frombuffer(owner, np.uint8, 1))
