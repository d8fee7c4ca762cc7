"""Splitting elementwise instructions with broadcasting, and instructions along some axes only."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ...device.instructions.binary import Binary, ScaleShift
from ...device.instructions.cast import ConvertElements
from ...device.instructions.comparison import Compare
from ...device.instructions.integer import IntegerUnary
from ...device.instructions.length import NormalizeLength
from ...device.instructions.local_response import LocalResponse
from ...device.instructions.logic import Logical
from ...device.instructions.lookup import Lookup
from ...device.instructions.moments import NormalizeMoments
from ...device.instructions.normalize import Normalize
from ...device.instructions.quantized_arithmetic import QuantizedProduct, QuantizedSum
from ...device.instructions.quantized_conversion import Dequantize, Quantize
from ...device.instructions.quantized_lookup import ByteLookup
from ...device.instructions.reduction import Reduce, SoftmaxAlong
from ...device.instructions.resize import ResizeLinear
from ...device.instructions.selection import TopPlaces, TopValues
from ...device.programs.instruction import Instruction, Shape
from .box import Box
from .rule import Rule, TiledPart


def broadcast_box(box: Box, operand: Shape) -> Box:
    """The box that ``box`` of a result needs of an operand that broadcasts to it: axes are counted from the last."""
    skipped = len(box.starts) - len(operand)
    starts = tuple(0 if dim == 1 else box.starts[skipped + axis] for axis, dim in enumerate(operand))
    stops = tuple(1 if dim == 1 else box.stops[skipped + axis] for axis, dim in enumerate(operand))
    return Box(starts, stops)


class PointwiseRule(Rule[Any]):
    """Element by element, operands broadcast: any axis may be cut, the first axes best (pieces stay contiguous)."""

    def units(self, instruction: Any, operands: Sequence[Shape], output: Shape) -> Mapping[int, int]:
        return {axis: 1 for axis, dim in enumerate(output) if dim > 1}

    def part(self, instruction: Any, operands: Sequence[Shape], box: Box) -> TiledPart:
        return TiledPart(instruction, tuple(broadcast_box(box, shape) for shape in operands))


class AlongRule(Rule[Any]):
    """Results that depend on whole lines of the first operand along some axes: the other axes may be cut.

    Further operands broadcast against the first.
    """

    def __init__(self, kept: Callable[[Any], Collection[int]]) -> None:
        self._kept = kept

    def units(self, instruction: Any, operands: Sequence[Shape], output: Shape) -> Mapping[int, int]:
        kept = self._kept(instruction)
        return {axis: 1 for axis, dim in enumerate(output) if dim > 1 and axis not in kept}

    def part(self, instruction: Any, operands: Sequence[Shape], box: Box) -> TiledPart:
        for axis in self._kept(instruction):
            box = box.with_along(axis, 0, operands[0][axis])
        return TiledPart(instruction, tuple(broadcast_box(box, shape) for shape in operands))


def _channel_axis(instruction: Quantize | Dequantize) -> Collection[int]:
    return (instruction.axis,) if len(instruction.scales) > 1 else ()


POINTWISE: tuple[type[Instruction], ...] = (
    Binary,
    ByteLookup,
    Compare,
    ConvertElements,
    IntegerUnary,
    Logical,
    Lookup,
    Normalize,
    QuantizedProduct,
    QuantizedSum,
    ScaleShift,
)
ALONG: Mapping[type[Instruction], Callable[[Any], Collection[int]]] = {
    Dequantize: _channel_axis,
    LocalResponse: lambda i: (i.axis,),
    NormalizeLength: lambda i: i.axes,
    NormalizeMoments: lambda i: i.axes,
    Quantize: _channel_axis,
    Reduce: lambda i: i.axes,
    ResizeLinear: lambda i: i.axes,
    SoftmaxAlong: lambda i: (i.axis,),
    TopPlaces: lambda i: (i.axis,),
    TopValues: lambda i: (i.axis,),
}
