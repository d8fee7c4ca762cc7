"""Transposed convolution: one matrix product, whose columns are added where the taps of each input element fall."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import ClassVar

import numpy as np

from ....basics.data_class import dataclass
from ....delegate import cancel_point
from ..programs.instruction import Array, Instruction, Shape, Work, widen
from ..programs.shapes import transposed_shape
from ..programs.window import Window
from .functions import UNFUSED, Fused, apply_fused
from .products import products


@dataclass(frozen=True, slots=True)
class TransposedConvolution(Instruction):
    """x (N, Cin, H, W) spread by weight (Cin, Kh, Kw, Cout/group), optional bias (Cout,): (N, Cout, *window.output).

    Input row p adds tap i to output row ``p * stride + i * dilation - before``, columns likewise; products outside of
    the output are lost. Input channel block g makes output channel block g.
    """

    arity: ClassVar[Collection[int]] = (2, 3)
    reads_format: ClassVar[bool] = False
    window: Window
    group: int = 1
    fused: Fused = UNFUSED

    def run(self, operands: Sequence[Array]) -> Array:
        x, weight, *bias = map(widen, operands)
        out = spread(x, weight, self.window, self.group)
        if bias:
            out += bias[0][:, None, None]
        return apply_fused(self.fused, out)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        return transposed_shape(self.window, operands, self.group)

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        return Work(macs=math.prod(operands[0]) * math.prod(operands[1][1:]))


def spread(x: Array, weight: Array, window: Window, group: int) -> Array:
    """x (N, Cin, H, W) spread by weight (Cin, Kh, Kw, Cout/group): (N, Cout, *window.output), in the type of both."""
    batch, channels, height, width = x.shape
    matrix = weight.reshape(group, channels // group, -1).transpose(0, 2, 1)
    every = products(matrix, x.reshape(batch, group, channels // group, height * width))
    every = every.reshape(batch, group, *window.size, -1, height, width)
    out = np.zeros((batch, group, weight.shape[3], *window.output), x.dtype)
    for i in range(window.size[0]):
        rows = _landing(window, 0, i, height)
        for j in range(window.size[1]):
            cancel_point()
            columns = _landing(window, 1, j, width)
            tap = every[:, :, i, j, :, rows.source, columns.source]
            out[:, :, :, rows.target, columns.target] += tap
    return out.reshape(batch, -1, *window.output)


@dataclass(frozen=True, slots=True)
class _Landing:
    """The input positions along one axis that a tap carries into the output, and where to."""

    source: slice
    target: slice


def _landing(window: Window, axis: int, tap: int, size: int) -> _Landing:
    stride, offset = window.strides[axis], tap * window.dilations[axis] - window.before[axis]
    first = max(0, -(offset // stride))
    last = min(size, (window.output[axis] - 1 - offset) // stride + 1)
    if first >= last:
        return _Landing(slice(0, 0), slice(0, 0))
    start = first * stride + offset
    return _Landing(slice(first, last), slice(start, start + (last - first - 1) * stride + 1, stride))
