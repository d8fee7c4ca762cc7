"""The description that a tensor list carries as its data.

It is a row of int32: element data type, element rank, element dimensions, number of tensors, and per tensor
its rank and its dimensions. A count below 0 is an unknown one.
"""

from __future__ import annotations

import struct

import numpy as np

from ....flatbuffer.problem import FormatProblem
from .external import Bytes

EMPTY_LIST = struct.pack("<iii", 0, 0, 0)
"""A list without elements, of an unknown element type."""


def check_tensor_list(stored: Bytes) -> None:
    """Checks that every number that the description announces is there.

    Raises:
        FormatProblem: the description is cut short, or has a negative rank.
    """
    numbers = stored[: stored.size // 4 * 4].view(np.dtype("<i4")).tolist()
    position = _skip_shape(numbers, 1)
    if position >= len(numbers):
        raise FormatProblem(f"the description of a tensor list ends after {len(numbers)} numbers", "data")
    count = numbers[position]
    position += 1
    for _ in range(max(count, 0)):
        position = _skip_shape(numbers, position)


def _skip_shape(numbers: list[int], position: int) -> int:
    """The position after the rank at ``position`` and its dimensions."""
    rank = numbers[position] if position < len(numbers) else -1
    if rank < 0 or position + rank >= len(numbers):
        raise FormatProblem(f"the description of a tensor list has no shape at number {position}", "data")
    return position + 1 + rank
