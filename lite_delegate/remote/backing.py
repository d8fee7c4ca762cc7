"""Backing: arrays over memory that is there already, of files and of other processes and libraries."""

from __future__ import annotations

import math
import mmap
import os
from pathlib import Path
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ..basics.counted import counted
from ..basics.opening import open_regular
from ..errors import InputError
from ..tensors.dlpack import from_dlpack, is_exchangeable

SHARED_FOLDER = Path("/dev/shm")
"""Where the system shows shared memory by name."""


def mapped_file(path: str | os.PathLike[str], dtype: np.dtype[Any], shape: tuple[int, ...], offset: int) -> Array:
    """A part of a file as an array that can only be read; pages are read when somebody looks at them.

    Raises:
        InputError: no such file, or it is too small; or an offset that does not fit the type.
    """
    where = f"The file '{os.fspath(path)}'"
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            _check_size(where, size, dtype, shape, offset)
            buffer = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
    except OSError as e:
        raise InputError(f"{where} cannot be mapped: {e.strerror or e}.") from e
    return _array(buffer, dtype, shape, offset)


def shared_array(given: Any, dtype: np.dtype[Any], shape: tuple[int, ...], offset: int) -> Array:
    """The memory that something shares as an array: nothing is copied.

    Args:
        given: the name of shared memory; or what has a buffer, or DLPack.
        dtype, shape: of the array.
        offset: in bytes, in a buffer.

    Raises:
        InputError: no such memory, too little of it, or what cannot be read as such an array.
        TypeError: nothing that shares memory.
    """
    if isinstance(given, str):
        buffer: Any = _named(given)
        where = f"The shared memory '{given}'"
    elif type(given).__name__ == "PyCapsule" or (is_exchangeable(given) and not offset):
        return _exchanged(_Capsule(given) if type(given).__name__ == "PyCapsule" else given, dtype, shape)
    else:
        where = f"The buffer of the {type(given).__name__}"
        try:
            buffer = memoryview(getattr(given, "buf", given)).cast("B")
        except TypeError as e:
            raise TypeError(
                f"shared: expected a name of shared memory, a buffer, or DLPack, but got {type(given).__name__} ({e})."
            ) from e
    _check_size(where, len(buffer), dtype, shape, offset)
    return _array(buffer, dtype, shape, offset)


class _Capsule:
    """A capsule of DLPack, of memory of the host, as an object that gives it."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: object) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


def _exchanged(given: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    array = from_dlpack(given, "create_tensor")
    if array.dtype != dtype or array.shape != shape:
        raise InputError(
            f"create_tensor: expected {dtype} {list(shape)}, what is shared is {array.dtype} {list(array.shape)}."
        )
    return array


def _named(name: str) -> mmap.mmap:
    """Shared memory that some process has made.

    It is opened as the file that it is: ``SharedMemory`` takes what it only attaches for its own, and removes it when
    this process ends.
    """
    if not SHARED_FOLDER.is_dir():
        raise InputError(f"shared='{name}': this system does not show shared memory by name; pass its buffer, 'buf'.")
    if not name or "/" in name.lstrip("/") or name in (".", ".."):
        raise InputError(f"shared: expected the name of shared memory, got {name!r}.")
    path = SHARED_FOLDER / name.lstrip("/")
    try:
        return _mapped(path, os.O_RDWR, mmap.ACCESS_WRITE)
    except PermissionError:
        return _mapped(path, os.O_RDONLY, mmap.ACCESS_READ)
    except FileNotFoundError:
        raise InputError(f"There is no shared memory '{name}': nobody has made it, or it was removed.") from None
    except (OSError, ValueError) as e:
        raise InputError(f"The shared memory '{name}' cannot be mapped: {e}.") from e


def _mapped(path: Path, flags: int, access: int) -> mmap.mmap:
    descriptor = os.open(path, flags)
    try:
        return mmap.mmap(descriptor, 0, access=access)
    finally:
        os.close(descriptor)


def _check_size(where: str, size: int, dtype: np.dtype[Any], shape: tuple[int, ...], offset: int) -> None:
    nbytes = math.prod(shape) * dtype.itemsize
    if offset < 0 or offset + nbytes > size:
        raise InputError(
            f"{where} has {counted(size, 'byte')}; {dtype} {list(shape)} at offset {offset} needs "
            f"those up to {offset + nbytes}."
        )


def _array(buffer: Any, dtype: np.dtype[Any], shape: tuple[int, ...], offset: int) -> Array:
    array = np.frombuffer(buffer, dtype, math.prod(shape), offset).reshape(shape)
    if not array.flags.aligned:
        raise InputError(f"offset {offset}: {dtype} must begin at a multiple of {counted(dtype.alignment, 'byte')}.")
    return array
