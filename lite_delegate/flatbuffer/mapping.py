"""Files as memory: mapped, so that weights cost nothing until something reads them."""

from __future__ import annotations

import errno
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from ..basics.opening import UNFIT, open_regular
from .problem import FormatProblem

_copies: ContextVar[bool] = ContextVar("copies", default=False)
"""Whether files are read into memory in place of being mapped."""


@contextmanager
def copying_files(is_wanted: bool = True) -> Iterator[None]:
    """Within the block ``map_file`` copies files, as far as it is wanted: what becomes of them later changes nothing.

    Reading a page of a mapped file that was cut meanwhile ends the process (SIGBUS).
    """
    token = _copies.set(is_wanted)
    try:
        yield
    finally:
        _copies.reset(token)


class _OfFile:
    """Contents of a file that know where it is.

    Attributes:
        path: of the file.
        status: of the file before its contents were taken.
    """

    path: Path
    status: os.stat_result

    def is_at_path(self) -> bool:
        """Whether the file at the path is still this one, whatever was done to it."""
        try:
            return os.path.samestat(os.stat(self.path), self.status)
        except OSError:
            return False

    def is_current(self) -> bool:
        """Whether the file at the path is still this one, and was not written to."""
        try:
            now = os.stat(self.path)
        except OSError:
            return False
        return _identity(now) == _identity(self.status)


class MappedFile(_OfFile, mmap.mmap):
    """A mapped file that knows where it is."""


class CopiedFile(_OfFile, bytearray):
    """What was read of a file that knows where it is."""


def is_unchanged(content: memoryview) -> bool:
    """Whether contents that ``map_file`` gave are still those of the file at its path; an empty one has none."""
    return not len(content) or (isinstance(content.obj, _OfFile) and content.obj.is_current())


def _identity(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def map_file(path: Path) -> memoryview:
    """The contents of a regular file, mapped read-only; within ``copying_files`` a copy of them.

    Raises:
        FormatProblem: there is no such file, it is not a regular one, or it cannot be read.
    """
    try:
        with open_regular(path) as file:
            status = os.fstat(file.fileno())
            if status.st_size == 0:
                return memoryview(b"")
            found: CopiedFile | MappedFile
            if _copies.get():
                found = CopiedFile(status.st_size)
                del found[file.readinto(found) :]  # the file may have become shorter
            else:
                found = MappedFile(file.fileno(), 0, access=mmap.ACCESS_READ)
            found.path, found.status = path, status
        return memoryview(found).toreadonly()
    except FileNotFoundError:
        raise FormatProblem("no such file") from None
    except OSError as e:
        if e.errno in UNFIT:
            is_folder = e.errno == errno.EISDIR
            raise FormatProblem("expected a file, found a directory" if is_folder else str(e.strerror)) from None
        raise FormatProblem(f"cannot be read: {e}") from e
    except ValueError as e:
        raise FormatProblem(f"cannot be read: {e}") from e


def release_pages(content: memoryview, start: int = 0, length: int | None = None) -> None:
    """Gives back the memory of a mapped file; what is read again comes from the file again.

    Looking at a table maps far more of the file than the table: up to 2 MiB around it on current kernels.

    Args:
        content: of the file, whole.
        start: of the part that is given back; pages that hold other bytes too are kept.
        length: of that part; None: to the end.
    """
    mapped = content.obj
    if not isinstance(mapped, mmap.mmap) or not hasattr(mmap, "MADV_DONTNEED"):
        return
    end = len(mapped) if length is None else start + length
    first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
    last = end if end == len(mapped) else end // mmap.PAGESIZE * mmap.PAGESIZE
    if first < last:
        mapped.madvise(mmap.MADV_DONTNEED, first, last - first)
