"""The largest elements along an axis: their positions and their values. Exact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Instruction, Shape, Work
from ..programs.shapes import top_shape


@dataclass(frozen=True, slots=True)
class _Top(Instruction):
    """The ``count`` largest elements along ``axis`` (non-negative); the axis has as many in the result."""

    axis: int
    count: int = 1

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        return top_shape(operands[0], self.axis, self.count)

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work(vector=self.count * math.prod(operands[0]))

    def reordered(self, axes: Axes) -> Self:
        return type(self)(axes[self.axis], self.count)


@dataclass(frozen=True, slots=True)
class TopPlaces(_Top):
    """The places of the ``count`` largest elements along ``axis`` (non-negative), largest first: int32.

    The axis has ``count`` elements in the result. Of equal elements the one with the lower index comes first; NaN
    comes before every number.
    """

    reads_format: ClassVar[bool] = False

    def run(self, operands: Sequence[Array]) -> Array:
        return largest_places(operands[0], self.axis, self.count).astype(np.int32)


@dataclass(frozen=True, slots=True)
class TopValues(_Top):
    """The ``count`` largest elements along ``axis`` (non-negative), in the order of ``TopPlaces``."""

    reads_format: ClassVar[bool] = False
    rounds: ClassVar[bool] = False

    def run(self, operands: Sequence[Array]) -> Array:
        places = largest_places(operands[0], self.axis, self.count)
        return np.take_along_axis(operands[0], places, axis=self.axis)


def largest_places(x: Array, axis: int, count: int) -> Array:
    """Indices along ``axis`` of the ``count`` largest elements, as ``TopPlaces`` orders them."""
    if count == 1:
        return np.asarray(np.argmax(x, axis=axis, keepdims=True))
    # numpy sorts upward and NaN last; backwards over a reversed axis, equal elements keep their order
    order = np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)
    places = x.shape[axis] - 1 - order
    return np.asarray(np.take(places, range(count), axis=axis))
