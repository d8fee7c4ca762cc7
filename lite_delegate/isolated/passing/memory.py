"""Memory that two processes share: a file in memory without a name, which goes with its last user."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np

from ...basics.data_class import dataclass

Array: TypeAlias = "np.ndarray[Any, Any]"
ALIGNMENT = 64


@dataclass(frozen=True, slots=True)
class ArrayPlace:
    """An array in shared memory.

    Attributes:
        offset: of its first byte.
        dtype: numpy's text of its element type.
        shape: its dimensions.
    """

    offset: int
    dtype: str
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """The bytes of the array."""
        count = np.dtype(self.dtype).itemsize
        for dim in self.shape:
            count *= dim
        return count

    def of(self, memory: mmap.mmap, *, is_read_only: bool = False) -> Array:
        """The array, which shares the memory."""
        array: Array = np.ndarray(self.shape, self.dtype, memory, self.offset)
        if is_read_only:
            array.flags.writeable = False
        return array


def places(arrays: Iterable[tuple[str, tuple[int, ...]]], start: int = 0) -> tuple[tuple[ArrayPlace, ...], int]:
    """Places for arrays of these element types and shapes behind each other, and the bytes of all of them."""
    found = []
    for dtype, shape in arrays:
        place = ArrayPlace(-(-start // ALIGNMENT) * ALIGNMENT, dtype, shape)
        found.append(place)
        start = place.offset + place.nbytes
    return tuple(found), start


def new_memory(nbytes: int) -> tuple[int, mmap.mmap]:
    """New shared memory: its descriptor, which the caller closes, and the memory.

    Raises:
        OSError: there is not enough.
    """
    descriptor = os.memfd_create("lite-delegate", os.MFD_CLOEXEC)
    try:
        os.ftruncate(descriptor, max(nbytes, 1))
        return descriptor, mmap.mmap(descriptor, max(nbytes, 1))
    except BaseException:
        os.close(descriptor)
        raise


def mapped(descriptor: int) -> mmap.mmap:
    """The shared memory behind a descriptor, which is closed."""
    try:
        return mmap.mmap(descriptor, 0)
    finally:
        os.close(descriptor)


def packed(arrays: Sequence[Array]) -> tuple[tuple[ArrayPlace, ...], int]:
    """Copies of arrays in new shared memory: their places and the descriptor, which the caller closes.

    Raises:
        OSError: there is not enough.
    """
    found, size = places((array.dtype.str, array.shape) for array in arrays)
    descriptor, memory = new_memory(size)
    for place, array in zip(found, arrays, strict=True):
        place.of(memory)[...] = array
    return found, descriptor


@contextmanager
def packed_bytes(data: memoryview) -> Iterator[int]:
    """The descriptor of new shared memory with a copy of bytes, for as long as the block lasts.

    Raises:
        OSError: there is not enough.
    """
    descriptor, memory = new_memory(len(data))
    try:
        memory[: len(data)] = data
        yield descriptor
    finally:
        os.close(descriptor)
