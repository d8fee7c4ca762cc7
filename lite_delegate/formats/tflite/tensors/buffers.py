"""The contents of a file's tensors: views of the file, and the few copies that an import makes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ....basics.counted import counted
from ....flatbuffer.problem import FormatProblem
from ....flatbuffer.schema import Record

Array = np.ndarray[Any, Any]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]

_LEAST_BUDGET = 1 << 20
_COPIES, _DENSE = 4, 16
"""How often the size of the file copies may take, and sparse constants with all their elements."""
_INSIDE = 1
"""Offsets up to this say that the contents are in the flatbuffer itself."""


class CopyBudget:
    """The bytes that an import may copy: four times the file, and 1 MiB.

    Contents are copied where they have to be laid out anew (depthwise weights), widened (float16, 4-bit) or aligned.
    Tensors may share contents, so without a bound a small file could ask for very many copies.

    Sparse constants get all their elements: up to sixteen times the file, and 1 MiB. What is copied of them afterwards
    is bounded as if the file had them whole.
    """

    def __init__(self, file_bytes: int) -> None:
        self._left = _COPIES * file_bytes + _LEAST_BUDGET
        self._dense_left = _DENSE * file_bytes + _LEAST_BUDGET

    def densify(self, size: int) -> None:
        """Counts a sparse constant that takes ``size`` bytes with all its elements.

        Raises:
            FormatProblem: more than the budget has left.
        """
        self._dense_left -= size
        if self._dense_left < 0:
            raise FormatProblem(
                f"sparse constants take more than {_DENSE} times the file's size with all their elements"
            )
        self._left += _COPIES * size

    def charge(self, size: int) -> None:
        """Counts ``size`` bytes.

        Raises:
            FormatProblem: more than the budget has left.
        """
        self._left -= size
        if self._left < 0:
            raise FormatProblem("constants that have to be laid out anew take more than four times the file's size")


def read_buffers(records: Iterable[Record], content: memoryview) -> list[Bytes]:
    """The contents of each buffer, as views; empty for a buffer without contents.

    NOTE: files above 2 GiB keep contents behind the flatbuffer, and ``offset`` says where.
    """
    return [_buffer(i, record, content) for i, record in enumerate(records)]


def _buffer(position: int, record: Record, content: memoryview) -> Bytes:
    data: Bytes | None = record["data"]
    offset, size = int(record["offset"]), int(record["size"])
    if offset <= _INSIDE:
        return np.empty(0, np.uint8) if data is None else data
    if offset + size > len(content):
        reason = f"expected {counted(size, 'byte')} at {offset}, the file has {len(content):,}"
        raise FormatProblem(reason, f"buffers[{position}]")
    return np.frombuffer(content, np.uint8, size, offset) if size else np.empty(0, np.uint8)


def own(array: Array, budget: CopyBudget) -> Array:
    """A read-only copy in C order."""
    budget.charge(array.nbytes)
    made = np.array(array, order="C")
    made.flags.writeable = False
    return made
