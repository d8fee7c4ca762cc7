"""Splitting transposed convolutions: along rows, channels, columns and images of the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...device.programs.instruction import Shape
from ...device.programs.window import Window
from .box import Box, whole
from .channels import channels_of
from .rule import Rule, TiledPart
from .windows import CHANNELS, COLUMNS, IMAGES, ROWS, Reach

OUTPUT_CHANNELS = 3
"""Axis of a transposed convolution's weight (Cin, Kh, Kw, Cout/group)."""


class TransposedRule(Rule[Any]):
    """Output channels by whole groups, or one by one where the convolution has one group."""

    def units(self, instruction: Any, operands: Sequence[Shape], output: Shape) -> Mapping[int, int]:
        return {ROWS: 1, CHANNELS: operands[1][OUTPUT_CHANNELS] if instruction.group > 1 else 1, IMAGES: 1, COLUMNS: 1}

    def part(self, instruction: Any, operands: Sequence[Shape], box: Box) -> TiledPart:
        x, weight = operands[:2]
        start, stop = box.along(CHANNELS)
        rows = landing_reach(instruction.window, 0, *box.along(ROWS), x[ROWS])
        columns = landing_reach(instruction.window, 1, *box.along(COLUMNS), x[COLUMNS])
        window = replace(
            instruction.window, before=(rows.before, columns.before), output=(box.shape[ROWS], box.shape[COLUMNS])
        )
        read = box.with_along(ROWS, rows.start, rows.stop).with_along(COLUMNS, columns.start, columns.stop)
        if instruction.group == 1:
            group, channels, filters = 1, (0, x[CHANNELS]), whole(weight).with_along(OUTPUT_CHANNELS, start, stop)
        else:
            per_group, made = x[CHANNELS] // instruction.group, weight[OUTPUT_CHANNELS]
            group, channels = (stop - start) // made, (start // made * per_group, stop // made * per_group)
            filters = whole(weight).with_along(0, *channels)
        bias = (whole(shape).with_along(0, start, stop) for shape in operands[2:])
        every = instruction.group * weight[OUTPUT_CHANNELS]
        cut = channels_of(replace(instruction, window=window, group=group), start, stop, every)
        return TiledPart(cut, (read.with_along(CHANNELS, *channels), filters, *bias))


def landing_reach(window: Window, axis: int, first: int, last: int, size: int) -> Reach:
    """The input positions, of ``size``, that fall on the output positions from ``first`` to ``last`` along one axis.

    At least one position, even if it falls on none of them. Padding is then counted from the first one of both.
    """
    stride, before = window.strides[axis], window.before[axis]
    extent = (window.size[axis] - 1) * window.dilations[axis]
    start = min(max(-((extent - first - before) // stride), 0), size - 1)
    stop = min(max((last - 1 + before) // stride + 1, start + 1), size)
    return Reach(start, stop, before + first - start * stride)
