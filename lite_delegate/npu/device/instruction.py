"""What an instruction of the device is, and the two number formats it moves between."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]
Shape: TypeAlias = tuple[int, ...]


class Instruction(ABC):
    """One operation of the device, without its buffers: a ``Step`` of a program names those.

    Instructions are frozen dataclasses of plain values, so that a program can be compared and written out.
    """

    @abstractmethod
    def run(self, operands: Sequence[Array]) -> Array:
        """The result for ``operands``, which are not written to.

        The result is in the accumulators' precision (float32) or exact; whoever stores it rounds it, once.
        """


def widen(array: Array) -> Array:
    """The operand as the multipliers take it: float32. Exact for float16."""
    return array if array.dtype == np.float32 else array.astype(np.float32)


def narrow(array: Array) -> Array:
    """The value as device memory keeps it: float16, round to nearest, ties to even.

    Beyond the range of float16 (65504) the result is infinite, as IEEE 754 says; below 2**-25 it is zero.
    """
    if array.dtype == np.float16:
        return array
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        return array.astype(np.float16)
