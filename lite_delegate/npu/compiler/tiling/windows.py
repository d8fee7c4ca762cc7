"""Splitting convolutions and pools, along rows, channels, columns and images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ....basics.data_class import dataclass
from ...device.instructions.convolution import Convolution
from ...device.instructions.depthwise import DepthwiseConvolution
from ...device.instructions.functions import UNFUSED, Fused
from ...device.instructions.pooling import AveragePool, MaxPool
from ...device.instructions.quantized_convolution import QuantizedConvolution
from ...device.instructions.quantized_depthwise import QuantizedDepthwiseConvolution
from ...device.instructions.quantized_pooling import QuantizedAveragePool, QuantizedMaxPool
from ...device.programs.instruction import Shape
from ...device.programs.window import Window
from .box import Box, whole
from .channels import channels_of
from .rule import TERMS, Rule, SumRule, TiledPart

IMAGES, CHANNELS, ROWS, COLUMNS = range(4)
INPUT_CHANNELS = 3
"""Axis of a convolution's weight (Cout, Kh, Kw, Cin/group)."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The stretch of the input that windows from one to another need along one axis.

    Attributes:
        start: first position of the input.
        stop: the one after the last; no more than ``start`` where they lie on padding alone.
        before: padding in front of ``start``.
    """

    start: int
    stop: int
    before: int


def reach(window: Window, axis: int, first: int, last: int, size: int) -> Reach:
    """The stretch that windows ``first`` to ``last`` (not included) need of an input of ``size`` along one axis."""
    top = first * window.strides[axis] - window.before[axis]
    extent = (window.size[axis] - 1) * window.dilations[axis] + 1
    bottom = (last - 1) * window.strides[axis] - window.before[axis] + extent
    start = min(max(top, 0), size)
    return Reach(start, min(max(bottom, start), size), start - top if top < size else 0)


def cut_window(window: Window, box: Box, size: Sequence[int]) -> Window:
    """The windows in ``box`` of a result (N, C, H, W) over an input (.., .., *size)."""
    rows = reach(window, 0, *box.along(ROWS), size[0])
    columns = reach(window, 1, *box.along(COLUMNS), size[1])
    return replace(window, before=(rows.before, columns.before), output=(box.shape[ROWS], box.shape[COLUMNS]))


def read_by(window: Window, box: Box, size: Sequence[int]) -> Box:
    """The box that the windows in ``box`` of a result (N, C, H, W) read of an input (.., .., *size).

    Only its last two axes are rows and columns of the input; the other axes are the axes of ``box``.
    """
    rows = reach(window, 0, *box.along(ROWS), size[0])
    columns = reach(window, 1, *box.along(COLUMNS), size[1])
    return Box((*box.starts[:ROWS], rows.start, columns.start), (*box.stops[:ROWS], rows.stop, columns.stop))


class PoolRule(Rule[Any]):
    """Pools: each channel and each image by itself."""

    def units(self, instruction: Any, operands: Sequence[Shape], output: Shape) -> Mapping[int, int]:
        return {ROWS: 1, CHANNELS: 1, IMAGES: 1, COLUMNS: 1}

    def part(self, instruction: Any, operands: Sequence[Shape], box: Box) -> TiledPart:
        changes = _cut_windows(instruction, operands[0], box)
        return TiledPart(replace(instruction, **changes), self.boxes(instruction, operands, box))

    def boxes(self, instruction: Any, operands: Sequence[Shape], box: Box) -> tuple[Box, ...]:
        return (read_by(instruction.window, _windows_of(instruction, box), operands[0][ROWS:]),)


class DepthwiseRule(PoolRule):
    """Convolutions of each channel by itself: weight (C, Kh, Kw, 1) and bias (C,) are cut along the channels."""

    def part(self, instruction: Any, operands: Sequence[Shape], box: Box) -> TiledPart:
        part = super().part(instruction, operands, box)
        return TiledPart(channels_of(part.instruction, *box.along(CHANNELS), operands[1][0]), part.boxes)

    def boxes(self, instruction: Any, operands: Sequence[Shape], box: Box) -> tuple[Box, ...]:
        start, stop = box.along(CHANNELS)
        constants = (whole(shape).with_along(0, start, stop) for shape in operands[1:])
        return (*super().boxes(instruction, operands, box), *constants)


class ConvolutionRule(SumRule[Any]):
    """Convolutions: output channels by whole groups; with one group and without quantization, sums, too."""

    def units(self, instruction: Any, operands: Sequence[Shape], output: Shape) -> Mapping[int, int]:
        found = {ROWS: 1, CHANNELS: output[CHANNELS] // instruction.group if instruction.group > 1 else 1}
        found |= {IMAGES: 1, COLUMNS: 1}
        sums = isinstance(instruction, Convolution) and instruction.group == 1 and instruction.pooled is None
        return found | ({TERMS: 1} if sums else {})

    def part(self, instruction: Any, operands: Sequence[Shape], box: Box) -> TiledPart:
        x, weight = operands[:2]
        start, stop = box.along(CHANNELS)
        changes = _cut_windows(instruction, x, box)
        if instruction.group > 1:
            changes["group"] = (stop - start) // (weight[0] // instruction.group)
        cut = channels_of(replace(instruction, **changes), start, stop, weight[0])
        return TiledPart(cut, self.boxes(instruction, operands, box))

    def boxes(self, instruction: Any, operands: Sequence[Shape], box: Box) -> tuple[Box, ...]:
        x, weight = operands[:2]
        start, stop = box.along(CHANNELS)
        per_group = weight[0] // instruction.group
        channels = (start // per_group * weight[3], stop // per_group * weight[3])
        read = read_by(instruction.window, _windows_of(instruction, box), x[ROWS:])
        read = read.with_along(CHANNELS, *(channels if instruction.group > 1 else (0, x[CHANNELS])))
        return (read, *(whole(shape).with_along(0, start, stop) for shape in operands[1:]))

    def terms(self, instruction: Any, operands: Sequence[Shape]) -> int:
        return operands[0][CHANNELS]

    def partial(self, part: TiledPart, start: int, stop: int, *, first: bool) -> TiledPart:
        assert isinstance(part.instruction, Convolution)
        x, weight, *bias = part.boxes
        boxes = (x.with_along(CHANNELS, start, stop), weight.with_along(INPUT_CHANNELS, start, stop))
        return TiledPart(replace(part.instruction, fused=UNFUSED), (*boxes, *(bias if first else ())))

    def fused(self, instruction: Any) -> Fused:
        fused: Fused = instruction.fused
        return fused


def _cut_windows(instruction: Any, x: Shape, box: Box) -> dict[str, Any]:
    """The fields that are windows, for a box of the result: a convolution's own, and those of its fused pool."""
    changes: dict[str, Any] = {"window": cut_window(instruction.window, _windows_of(instruction, box), x[ROWS:])}
    pooled = getattr(instruction, "pooled", None)
    if pooled is not None:
        changes["pooled"] = replace(pooled, window=cut_window(pooled.window, box, instruction.window.output))
    return changes


def _windows_of(instruction: Any, box: Box) -> Box:
    """The convolution's own windows for a box of the result: the windows that a fused pool searches, if it has one."""
    pooled = getattr(instruction, "pooled", None)
    return box if pooled is None else read_by(pooled.window, box, instruction.window.output)


POOLS = (MaxPool, AveragePool, QuantizedMaxPool, QuantizedAveragePool)
DEPTHWISE = (DepthwiseConvolution, QuantizedDepthwiseConvolution)
CONVOLUTIONS = (Convolution, QuantizedConvolution)
