"""Constants that lie in a mapped file."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np


def drop_pages(array: np.ndarray[Any, Any]) -> None:
    """Gives back the memory of an array in a mapped file once it has been used; read again, it comes from the file.

    Pages that hold other bytes too are kept. Arrays that lie elsewhere, or not in one piece, stay as they are.
    """
    owner: Any = array
    while isinstance(owner, (np.ndarray, memoryview)):
        owner = owner.base if isinstance(owner, np.ndarray) else owner.obj
    if not isinstance(owner, mmap.mmap) or not hasattr(mmap, "MADV_DONTNEED") or not array.flags.c_contiguous:
        return
    offset = array.ctypes.data - np.frombuffer(owner, np.uint8, 1).ctypes.data
    first = -(-offset // mmap.PAGESIZE) * mmap.PAGESIZE
    last = (offset + array.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE
    if first < last:
        owner.madvise(mmap.MADV_DONTNEED, first, last - first)
