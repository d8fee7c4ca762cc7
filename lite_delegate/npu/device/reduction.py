"""Sums and means over axes, and softmax."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

import numpy as np

from .instruction import Array, Axes, Instruction, Shape, Work, widen

PASSES = 4
"""Of softmax over its elements: maximum, exponential, sum, division."""


class Reduction(StrEnum):
    """What becomes of the elements along the reduced axes."""

    MEAN = "mean"
    SUM = "sum"


@dataclass(frozen=True, slots=True)
class Reduce(Instruction):
    """Mean or sum over ``axes`` (non-negative), each of which stays with one element; accumulated in float32."""

    reduction: Reduction
    axes: Axes

    def run(self, operands: Sequence[Array]) -> Array:
        x = widen(operands[0])
        function = np.mean if self.reduction is Reduction.MEAN else np.sum
        return np.asarray(function(x, axis=self.axes, keepdims=True, dtype=np.float32))

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work(vector=math.prod(operands[0]))

    def reordered(self, axes: Axes) -> Self:
        return type(self)(self.reduction, tuple(sorted(axes[axis] for axis in self.axes)))


@dataclass(frozen=True, slots=True)
class SoftmaxAlong(Instruction):
    """exp(x - max) over its sum along ``axis`` (non-negative)."""

    axis: int

    def run(self, operands: Sequence[Array]) -> Array:
        x = widen(operands[0])
        shifted = np.exp(x - x.max(axis=self.axis, keepdims=True))
        shifted /= shifted.sum(axis=self.axis, keepdims=True)
        return np.asarray(shifted)

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work(vector=PASSES * math.prod(output))

    def reordered(self, axes: Axes) -> Self:
        return type(self)(axes[self.axis])
