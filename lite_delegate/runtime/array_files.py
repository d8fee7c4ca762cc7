"""Arrays in files: their headers first, and their contents once shapes and types are known to fit."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from ..basics.data_class import dataclass
from ..basics.opening import open_regular
from ..basics.unforeseen import shown
from ..errors import InputError, LiteDelegateError
from .budget import Budget

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class FileArray:
    """An array of a file, of which only the header was read.

    Attributes:
        name: of the input that it is for.
        file: a ``.npy`` file, or a ``.npz`` file that has an array of that name.
        shape: as the header says.
        dtype: as the header says.
        option: that named the file, for messages.
    """

    name: str
    file: Path
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    option: str = "--input"

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def load(self, budget: Budget) -> Array:
        """The contents.

        Raises:
            LimitError: they would take more memory than there is.
            InputError: the file is damaged, or has changed.
        """
        nbytes = self.dtype.itemsize
        for dim in self.shape:
            nbytes *= dim
        budget.check(f"{self.option} {self.name}: '{self.file}'", nbytes)
        said = f"{self.option} {self.name}"
        with _explained(said, self.file), _opened(said, self.name, self.file) as stream:
            if _header(stream) != (self.shape, self.dtype):
                raise InputError(f"{self.option} {self.name}: '{self.file}' was changed while it was read.")
            stream.seek(0)
            return np.asarray(npy.read_array(stream, allow_pickle=False))


def file_array(name: str, file: Path, option: str = "--input") -> FileArray:
    """The array of a file by its header; a compressed one is not unpacked.

    Args:
        name: of the input that it is for.
        file: a ``.npy`` file, or a ``.npz`` file that has an array of that name.
        option: that named the file.

    Raises:
        InputError: it is no ``.npy`` or ``.npz`` file, is damaged, or has no array of that name.
    """
    said = f"{option} {name}"
    with _explained(said, file), _opened(said, name, file) as stream:
        return FileArray(name, file, *_header(stream), option)


@contextmanager
def _opened(said: str, name: str, file: Path) -> Iterator[BinaryIO]:
    """The bytes of the ``.npy`` file, which may be a part of an archive."""
    with open_regular(file) as whole:
        start = whole.read(6)
        whole.seek(0)
        if start.startswith(npy.MAGIC_PREFIX):
            yield whole
            return
        if not start.startswith(b"PK"):
            raise InputError(f"{said}: '{file}' is neither a .npy nor a .npz file.")
        with zipfile.ZipFile(whole) as archive:
            there = [each.removesuffix(".npy") for each in archive.namelist()]
            if name not in there:
                known = ", ".join(there) or "none"
                raise InputError(f"{said}: '{file}' has no array of that name; it has {known}.")
            with archive.open(archive.namelist()[there.index(name)]) as part:
                yield part  # type: ignore[misc]


def _header(stream: BinaryIO) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = npy.read_magic(stream)
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise ValueError(f"version {version} of the format")
    # The third version differs from the second in names of fields only, which no input has.
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read(stream)
    if dtype.hasobject:
        raise ValueError("it holds Python objects, which are not read")
    return tuple(shape), dtype


@contextmanager
def _explained(said: str, file: Path) -> Iterator[None]:
    try:
        yield
    except LiteDelegateError:
        raise
    except OSError as e:
        reason = "expected a file, found a directory" if isinstance(e, IsADirectoryError) else e.strerror or e
        raise InputError(f"{said}: cannot read '{os.fspath(file)}': {reason}.") from e
    except Exception as e:  # numpy evaluates a header, zipfile and zlib have errors of their own
        raise InputError(f"{said}: cannot read '{file}' as .npy or .npz: {shown(e)}.") from e


def loaded(given: Array | FileArray, budget: Budget) -> Array:
    """The contents of an array that may still be in its file; raises as ``FileArray.load`` does."""
    return given.load(budget) if isinstance(given, FileArray) else given
