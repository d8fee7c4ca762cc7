"""Sums and means over axes, and softmax."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from .instruction import Array, Instruction, widen


class Reduction(StrEnum):
    """What becomes of the elements along the reduced axes."""

    MEAN = "mean"
    SUM = "sum"


@dataclass(frozen=True, slots=True)
class Reduce(Instruction):
    """Mean or sum over ``axes`` (non-negative, device order), accumulated in float32."""

    reduction: Reduction
    axes: tuple[int, ...]
    keep_dims: bool

    def run(self, operands: Sequence[Array]) -> Array:
        x = widen(operands[0])
        function = np.mean if self.reduction is Reduction.MEAN else np.sum
        return np.asarray(function(x, axis=self.axes, keepdims=self.keep_dims, dtype=np.float32))


@dataclass(frozen=True, slots=True)
class SoftmaxAlong(Instruction):
    """exp(x - max) over its sum along ``axis`` (non-negative, device order)."""

    axis: int

    def run(self, operands: Sequence[Array]) -> Array:
        x = widen(operands[0])
        shifted = np.exp(x - x.max(axis=self.axis, keepdims=True))
        shifted /= shifted.sum(axis=self.axis, keepdims=True)
        return np.asarray(shifted)
