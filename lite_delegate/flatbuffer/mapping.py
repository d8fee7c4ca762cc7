"""Files as memory: mapped, so that weights cost nothing until something reads them."""

from __future__ import annotations

import mmap
import os
import stat
from pathlib import Path

from .problem import FormatProblem


class MappedFile(mmap.mmap):
    """A mapped file that knows where it is."""

    path: Path


def map_file(path: Path) -> memoryview:
    """The contents of a regular file, mapped read-only.

    Raises:
        FormatProblem: there is no such file, it is not a regular one, or it cannot be read.
    """
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise FormatProblem("expected a file, found a directory" if path.is_dir() else "expected a regular file")
        if status.st_size == 0:
            return memoryview(b"")
        with open(path, "rb") as file:
            mapped = MappedFile(file.fileno(), 0, access=mmap.ACCESS_READ)
        mapped.path = path
        return memoryview(mapped)
    except FileNotFoundError:
        raise FormatProblem("no such file") from None
    except (OSError, ValueError) as e:
        raise FormatProblem(f"cannot be read: {e}") from e


def release_pages(content: memoryview) -> None:
    """Gives back the memory of a mapped file; what is read again comes from the file again.

    Looking at a table maps far more of the file than the table: up to 2 MiB around it on current kernels.
    """
    if isinstance(content.obj, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        content.obj.madvise(mmap.MADV_DONTNEED)
