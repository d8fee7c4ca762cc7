"""Instruction: one operation of the device, and the two number formats it moves between."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from ....basics.data_class import dataclass
from .half import from_half
from .shapes import broadcast

Array: TypeAlias = np.ndarray[Any, Any]
Shape: TypeAlias = tuple[int, ...]
Axes: TypeAlias = tuple[int, ...]
ANY_NUMBER = range(1, 2**31)
"""Of operands: one or more."""


@dataclass(frozen=True, slots=True)
class Work:
    """The work of an instruction for the device's units, memory traffic left out.

    Attributes:
        macs: multiply-accumulates, for the multiplier array.
        vector: element operations, for the vector unit.
        moved: elements moved and not changed, for the DMA engines.
    """

    macs: int = 0
    vector: int = 0
    moved: int = 0


class Instruction(ABC):
    """One operation of the device, without its buffers: a ``ProgramStep`` names the buffers.

    Instructions are frozen dataclasses of plain values (numbers, text, enumerations, other such dataclasses, and
    tuples of them), so that a program can be compared and written out.

    Attributes:
        arity: the allowed numbers of operands.
        reads_format: ``run`` depends on the format of its floating operands, and gets float16 numbers as float16
            arrays. Else it gets them as float32 arrays, the simulator's own format, without conversion.
        rounds: ``run`` computes floating results that have to be rounded to the buffer's type. Else each element of
            the result is an element of an operand already.
    """

    arity: ClassVar[Collection[int]] = (1,)
    reads_format: ClassVar[bool] = True
    rounds: ClassVar[bool] = True

    @abstractmethod
    def run(self, operands: Sequence[Array]) -> Array:
        """The result for ``operands``, which are not written to.

        The result is in the accumulators' precision (float32) or exact; whoever stores it rounds it, once.
        """

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        """The shape of the result for operands of these shapes; by default their broadcast shape.

        Args:
            operands: the shapes, in a number that ``arity`` allows.

        Raises:
            ValueError: the shapes do not fit the instruction, or each other; the message has the expected shapes.
        """
        return broadcast(operands)

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        """The work of running it; one element operation per element of the result unless it says otherwise."""
        return Work(vector=math.prod(output))

    def reordered(self, axes: Axes) -> Self | None:
        """The instruction that allows permuting after instead of before it.

        For operands y of rank ``len(axes)`` each, ``self.run([permute(y, axes), ...])`` is
        ``permute(other.run([y, ...]), axes)``, where ``other`` is the returned instruction. None (the default): the
        axes of its operands have a fixed meaning.
        """
        return None


def widen(array: Array) -> Array:
    """The operand as the multipliers take it: float32. Exact for float16."""
    if array.dtype == np.float16:
        return from_half(array)
    return array if array.dtype == np.float32 else array.astype(np.float32)


def narrow(array: Array) -> Array:
    """The value as device memory keeps it: float16, round to nearest, ties to even.

    Beyond the range of float16 (65504) the result is infinite, as IEEE 754 says; below 2**-25 it is zero.
    """
    if array.dtype == np.float16:
        return array
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        return array.astype(np.float16)
