"""Resizes: some axes of a tensor sampled at more or fewer positions, wherever these axes lie."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import ClassVar, Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Instruction, Shape, Work, widen
from ..programs.shapes import replaced
from .movement import MovementInstruction


class Coordinates(StrEnum):
    """The place of position o of ``out`` ones among ``in`` ones.

    ASYMMETRIC: o in / out. ALIGN_CORNERS: o (in - 1) / (out - 1), 0 where ``out`` is 1. HALF_PIXEL:
    (o + 1/2) in / out - 1/2, or 0 where that is negative.
    """

    ASYMMETRIC = "asymmetric"
    ALIGN_CORNERS = "align_corners"
    HALF_PIXEL = "half_pixel"


@dataclass(frozen=True, slots=True)
class ResizeNearest(MovementInstruction):
    """Each of ``axes`` with ``sizes`` positions, each a copy of the operand's at its coordinate. Exact.

    The coordinate is rounded down; with ALIGN_CORNERS to the nearest, half up.
    """

    reads_format: ClassVar[bool] = False
    rounds: ClassVar[bool] = False
    coordinates: Coordinates
    axes: Axes
    sizes: Axes

    def run(self, operands: Sequence[Array]) -> Array:
        (out,) = operands
        for axis, size in zip(self.axes, self.sizes, strict=True):
            out = out.take(nearest_positions(out.shape[axis], size, self.coordinates), axis=axis)
        return out

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        return replaced(operands[0], self.axes, self.sizes)

    def reordered(self, axes: Axes) -> Self:
        return type(self)(self.coordinates, tuple(axes[axis] for axis in self.axes), self.sizes)


@dataclass(frozen=True, slots=True)
class ResizeLinear(Instruction):
    """Each of ``axes`` with ``sizes`` positions, interpolated between the operand's two around its coordinate.

    Beyond the last position the last one counts. Weights and sums are float32.
    """

    coordinates: Coordinates
    axes: Axes
    sizes: Axes

    def run(self, operands: Sequence[Array]) -> Array:
        out = widen(operands[0])
        for axis, size in zip(self.axes, self.sizes, strict=True):
            if size != out.shape[axis]:
                out = _interpolated(out, axis, size, self.coordinates)
        return out

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        return replaced(operands[0], self.axes, self.sizes)

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        """A multiply-add for each of the two neighbors along each axis."""
        return Work(vector=math.prod(output) * 2 ** len(self.axes))

    def reordered(self, axes: Axes) -> Self:
        return type(self)(self.coordinates, tuple(axes[axis] for axis in self.axes), self.sizes)


def nearest_positions(size_in: int, size_out: int, coordinates: Coordinates) -> Array:
    """For each of ``size_out`` positions the one of ``size_in`` that it copies."""
    above, below = _fractions(size_in, size_out, coordinates)
    if coordinates is Coordinates.ALIGN_CORNERS:
        return np.asarray((2 * above + below) // (2 * below))
    return np.asarray(above // below)


def _fractions(size_in: int, size_out: int, coordinates: Coordinates) -> tuple[Array, int]:
    """The coordinates as exact fractions >= 0: numerators (size_out,), and the denominator that they share."""
    position = np.arange(size_out, dtype=np.int64)
    match coordinates:
        case Coordinates.ASYMMETRIC:
            return position * size_in, size_out
        case Coordinates.ALIGN_CORNERS:
            return position * (size_in - 1), max(size_out - 1, 1)
        case Coordinates.HALF_PIXEL:
            return np.maximum((2 * position + 1) * size_in - size_out, 0), 2 * size_out


def _interpolated(x: Array, axis: int, size: int, coordinates: Coordinates) -> Array:
    above, below = _fractions(x.shape[axis], size, coordinates)
    lower = above // below
    upper = np.minimum(lower + 1, x.shape[axis] - 1)
    spread = (-1,) + (1,) * (x.ndim - 1 - axis)
    share = ((above % below) / below).astype(np.float32).reshape(spread)
    out = x.take(lower, axis=axis) * (1 - share)
    out += x.take(upper, axis=axis) * share
    return np.asarray(out)
