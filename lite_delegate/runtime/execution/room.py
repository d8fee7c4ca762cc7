"""Room: memory for an output that graph kernels write to run after run, as long as nobody holds the results of
before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np
from lite_delegate_kernels import Array

from ...ir import to_numpy
from ...tensors.tensor import Tensor

ALIGNED = 64
"""Bytes. So a copy begins at another place within its page than memory of malloc does, which lies 16 bytes behind the
beginning of a multiple of it: where it begins 16 bytes behind what is copied, AMD's processors take ten times as long.
"""


class RoomMemory(np.ndarray[Any, Any]):
    """The bytes of a room.

    The class makes numpy base views on the array that was lent, and not on these bytes: so the lent array lives as long
    as any view of it.
    """


class Room:
    """Memory for one output.

    Args:
        tensor: the output, of a known shape.

    Attributes:
        taken: gives the array that was lent last as long as somebody holds it or a view of it; the room is free after.
    """

    __slots__ = ("_dtype", "_memory", "_offset", "_shape", "taken")

    def __init__(self, tensor: Tensor) -> None:
        self._shape, self._dtype = tuple(tensor.shape), to_numpy(tensor.dtype)
        self._memory = RoomMemory((tensor.data_size + ALIGNED,), np.uint8)
        self._offset = -self._memory.ctypes.data % ALIGNED
        self.taken: Callable[[], Array | None] = _nothing

    def array(self) -> Array:
        """The memory as the array that the output is."""
        return np.ndarray(self._shape, self._dtype, self._memory, self._offset)

    def lend(self) -> Array:
        """The room's array, noted as lent until nobody holds it."""
        array = np.ndarray(self._shape, self._dtype, self._memory, self._offset)
        self.taken = ref(array)
        return array


def is_lent_whole(array: Array) -> bool:
    """Whether an array is the whole array that a room has lent, and no view of it."""
    return type(array.base) is RoomMemory


def _nothing() -> None:
    """Nothing was lent."""
