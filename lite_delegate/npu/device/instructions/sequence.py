"""Sequences of classes: the greedy decoder of connectionist temporal classification."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Instruction, Shape, Work


@dataclass(frozen=True, slots=True)
class DecodeClasses(Instruction):
    """The classes of N sequences of T steps, without blanks (the last class), to the front; -1 behind them.

    Operands are the scores (T, N, C) and the mask (T, N), whose first 0 ends a sequence; the result is (N, T, 1, 1).
    Of equal scores the class with the lower number counts. ``merge``: a class that the step before has as well is
    left out.
    """

    arity: ClassVar[Sequence[int]] = (2,)
    reads_format: ClassVar[bool] = False

    merge: bool

    def run(self, operands: Sequence[Array]) -> Array:
        scores, mask = operands
        steps, batch, classes = scores.shape
        result = np.full((batch, steps), -1, np.float32)
        running, counts = np.ones(batch, bool), np.zeros(batch, int)
        before = np.full(batch, -1)
        for step in range(steps):
            running &= mask[step] != 0
            found = np.argmax(scores[step], axis=1)
            kept = running & (found < classes - 1)
            if self.merge:
                kept &= found != before
            result[kept, counts[kept]] = found[kept]
            counts += kept
            before = found
        return result.reshape(batch, steps, 1, 1)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        scores, mask = operands
        if len(scores) != 3 or mask != scores[:2]:
            raise ValueError(f"expected shapes (T, N, C) and (T, N), got {scores} and {mask}")
        return scores[1], scores[0], 1, 1

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work(vector=math.prod(operands[0]))
