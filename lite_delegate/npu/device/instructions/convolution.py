"""Convolution: the taps of each window gathered into columns, one matrix product per block of rows."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import ClassVar

import numpy as np

from ....basics.data_class import dataclass
from ....delegate import cancel_point
from ..programs.instruction import Array, Instruction, Shape, Work, widen
from ..programs.shapes import convolution_shape, windows_over
from ..programs.window import Window
from .functions import UNFUSED, Fused
from .planes import finish
from .pooling import Pooled
from .products import BLOCK_MACS

COLUMN_BYTES = 16 * 2**20
"""Size of the column buffer at most, unless one row of windows needs more: bounds memory on large images."""


@dataclass(frozen=True, slots=True)
class Convolution(Instruction):
    """Grouped convolution of x (N, Cin, H, W) with weight (Cout, Kh, Kw, Cin/group), optional bias (Cout,).

    The result is (N, Cout, *window.output). Output channel block g reads input channel block g. With ``pooled`` the
    largest accumulators of each of its windows, or their mean, after ``fused``, are the result:
    (N, Cout, *pooled.window.output).
    """

    arity: ClassVar[Collection[int]] = (2, 3)
    reads_format: ClassVar[bool] = False
    window: Window
    group: int = 1
    fused: Fused = UNFUSED
    pooled: Pooled | None = None

    def run(self, operands: Sequence[Array]) -> Array:
        x, weight, *bias = map(widen, operands)
        batch, channels_out = x.shape[0], weight.shape[0]
        padded = self.window.padded(x, 0.0)
        matrix = weight.reshape(self.group, channels_out // self.group, -1)
        rows_out, width = self.window.output
        out = np.empty((batch, self.group, channels_out // self.group, rows_out * width), np.float32)
        for rows in self._row_blocks(batch * self.group * matrix.shape[2], batch * weight.size):
            cancel_point()
            windows = slice(rows.start * width, rows.stop * width)
            np.matmul(matrix, self._columns(padded, rows), out=out[..., windows])
        finish(out.reshape(-1, rows_out * width), np.tile(bias[0], batch) if bias else None, self.fused)
        out = out.reshape(batch, channels_out, rows_out, width)
        return out if self.pooled is None else self.pooled.applied(out)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        found = convolution_shape(self.window, operands, self.group)
        return found if self.pooled is None else windows_over(self.pooled.window, found)

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        sums = math.prod((*output[:2], *self.window.output))
        searched = 0 if self.pooled is None else math.prod(output) * math.prod(self.pooled.window.size)
        return Work(macs=sums * math.prod(operands[1][1:]), vector=searched)

    def _row_blocks(self, column_height: int, macs: int) -> list[slice]:
        """Rows of windows, by the numbers in a column and by the products that are summed for one."""
        rows, width = self.window.output
        block = max(1, min(COLUMN_BYTES // (column_height * width * 4), BLOCK_MACS // (macs * width)))
        return [slice(start, min(start + block, rows)) for start in range(0, rows, block)]

    def _columns(self, padded: Array, rows: slice) -> Array:
        """(N, group, Kh*Kw*Cin/group, windows): a column per window, in the order of the weight's last three axes."""
        batch, channels = padded.shape[0], padded.shape[1] // self.group
        taps, height = self.window.size[0] * self.window.size[1], rows.stop - rows.start
        if taps == 1:
            return next(self.window.taps(padded, rows)).reshape(batch, self.group, channels, -1)
        shape = (batch, self.group, taps, channels, height, self.window.output[1])
        columns = np.empty(shape, np.float32)
        for number, tap in enumerate(self.window.taps(padded, rows)):
            columns[:, :, number] = tap.reshape(batch, self.group, channels, height, -1)
        return columns.reshape(batch, self.group, taps * channels, -1)
