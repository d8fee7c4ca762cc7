"""Slices: a regular grid of positions of a tensor. Exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Shape
from ..programs.shapes import check_each, unfit
from .movement import MovementInstruction


@dataclass(frozen=True, slots=True)
class Slice(MovementInstruction):
    """Of each axis a the positions ``starts[a] + i * strides[a]``, i from 0 to ``counts[a] - 1``.

    Every position is inside the operand. Strides are not 0; negative ones go backwards.
    """

    reads_format: ClassVar[bool] = False
    rounds: ClassVar[bool] = False
    starts: Axes
    counts: Axes
    strides: Axes

    def run(self, operands: Sequence[Array]) -> Array:
        grid = tuple(map(_positions, self.starts, self.counts, self.strides))
        return np.asarray(operands[0][grid], order="C")

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        (x,) = operands
        check_each(self.counts, x, 0)
        for dim, start, count, stride in zip(x, self.starts, self.counts, self.strides, strict=True):
            if count and not (0 <= start < dim and 0 <= start + (count - 1) * stride < dim and stride):
                raise unfit(f"{count} positions of {dim}", f"start {start}, stride {stride}")
        return self.counts

    def reordered(self, axes: Axes) -> Self:
        return type(self)(unpermuted(self.starts, axes), unpermuted(self.counts, axes), unpermuted(self.strides, axes))


def unpermuted(values: Axes, axes: Axes) -> Axes:
    """One value per axis after a permutation by ``axes``, in the order before it."""
    return tuple(values[axes.index(axis)] for axis in range(len(axes)))


def _positions(start: int, count: int, stride: int) -> slice:
    stop = start + count * stride
    return slice(start, stop if stop >= 0 else None, stride)
