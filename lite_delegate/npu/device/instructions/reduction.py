"""Reductions along axes: sums, means, extremes, products; and softmax."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import ClassVar, Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Instruction, Shape, Work, widen
from ..programs.shapes import check_axes, replaced

PASSES = 4
"""Of softmax over its elements: maximum, exponential, sum, division."""


class ReductionFunction(StrEnum):
    """The function of the elements along the reduced axes.

    ``ABS_SUM`` is the sum of |x|, ``L2`` the root of ``SUM_SQUARE``, ``VARIANCE`` the mean of the squared distances
    from the mean; ``ALL`` takes bool only: whether all are true.
    """

    ABS_SUM = "abs_sum"
    ALL = "all"
    L2 = "l2"
    MAX = "max"
    MEAN = "mean"
    MIN = "min"
    PROD = "prod"
    SUM = "sum"
    SUM_SQUARE = "sum_square"
    VARIANCE = "variance"


def _sum(x: Array, axes: Axes) -> Array:
    return np.asarray(np.sum(x, axis=axes, keepdims=True, dtype=x.dtype))


def _mean(x: Array, axes: Axes) -> Array:
    total, count = _sum(x, axes), x.dtype.type(math.prod(x.shape[axis] for axis in axes))
    if x.dtype.kind == "f":
        return np.asarray(total / count)
    return np.asarray((total - np.fmod(total, count)) // count)  # toward zero: fmod has the sign of the total


_FUNCTIONS: dict[ReductionFunction, Callable[[Array, Axes], Array]] = {
    ReductionFunction.ABS_SUM: lambda x, axes: _sum(np.abs(x), axes),
    ReductionFunction.ALL: lambda x, axes: np.all(x, axis=axes, keepdims=True),
    ReductionFunction.L2: lambda x, axes: np.sqrt(_sum(np.square(x), axes)),
    ReductionFunction.MAX: lambda x, axes: np.max(x, axis=axes, keepdims=True),
    ReductionFunction.MEAN: _mean,
    ReductionFunction.MIN: lambda x, axes: np.min(x, axis=axes, keepdims=True),
    ReductionFunction.PROD: lambda x, axes: np.prod(x, axis=axes, keepdims=True, dtype=x.dtype),
    ReductionFunction.SUM: _sum,
    ReductionFunction.SUM_SQUARE: lambda x, axes: _sum(np.square(x), axes),
    ReductionFunction.VARIANCE: lambda x, axes: _mean(np.square(x - _mean(x, axes)), axes),
}


@dataclass(frozen=True, slots=True)
class Reduce(Instruction):
    """A reduction over ``axes`` (non-negative, at least one), which stay with one element each, times ``factor``.

    Real numbers accumulate in float32. int32 is exact and wraps around; its mean drops the fraction, and it has no
    ``L2``, no ``VARIANCE`` and no factor but 1.
    """

    reads_format: ClassVar[bool] = False
    reduction: ReductionFunction
    axes: Axes
    factor: float = 1.0

    def run(self, operands: Sequence[Array]) -> Array:
        x = operands[0]
        out = np.asarray(_FUNCTIONS[self.reduction](widen(x) if x.dtype.kind == "f" else x, self.axes))
        return out if self.factor == 1.0 else out * np.float32(self.factor)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        return replaced(operands[0], self.axes, (1,) * len(self.axes))

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work(vector=math.prod(operands[0]))

    def reordered(self, axes: Axes) -> Self:
        return type(self)(self.reduction, tuple(sorted(axes[axis] for axis in self.axes)), self.factor)


@dataclass(frozen=True, slots=True)
class SoftmaxAlong(Instruction):
    """exp(x - max) over its sum along ``axis`` (non-negative)."""

    reads_format: ClassVar[bool] = False
    axis: int

    def run(self, operands: Sequence[Array]) -> Array:
        x = widen(operands[0])
        shifted = np.exp(x - x.max(axis=self.axis, keepdims=True))
        shifted /= shifted.sum(axis=self.axis, keepdims=True)
        return np.asarray(shifted)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        check_axes([self.axis], operands[0])
        return operands[0]

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work(vector=PASSES * math.prod(output))

    def reordered(self, axes: Axes) -> Self:
        return type(self)(axes[self.axis])


@dataclass(frozen=True, slots=True)
class LogSoftmaxAlong(Instruction):
    """x - max less the logarithm of the sum of exp(x - max) along ``axis`` (non-negative)."""

    reads_format: ClassVar[bool] = False
    axis: int

    def run(self, operands: Sequence[Array]) -> Array:
        x = widen(operands[0])
        shifted = x - x.max(axis=self.axis, keepdims=True)
        return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=self.axis, keepdims=True)))

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        check_axes([self.axis], operands[0])
        return operands[0]

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work(vector=PASSES * math.prod(output))

    def reordered(self, axes: Axes) -> Self:
        return type(self)(axes[self.axis])
