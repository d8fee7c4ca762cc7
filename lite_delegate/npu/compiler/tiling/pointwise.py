"""Splitting what works element by element, with broadcasting, and what works along some axes only."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ...device.binary import Binary, ScaleShift
from ...device.cast import ConvertElements
from ...device.comparison import Compare
from ...device.instruction import Instruction, Shape
from ...device.integer import IntegerUnary
from ...device.length import NormalizeLength
from ...device.local_response import LocalResponse
from ...device.logic import Logical
from ...device.lookup import Lookup
from ...device.moments import NormalizeMoments
from ...device.normalize import Normalize
from ...device.quantized_arithmetic import QuantizedProduct, QuantizedSum
from ...device.quantized_conversion import Dequantize, Quantize
from ...device.quantized_lookup import ByteLookup
from ...device.reduction import Reduce, SoftmaxAlong
from ...device.resize import ResizeLinear
from ...device.selection import TopPlaces, TopValues
from .box import Box
from .rule import Rule, TiledPart


def broadcast_box(box: Box, operand: Shape) -> Box:
    """The box that ``box`` of a result needs of an operand that broadcasts to it: axes are counted from the last."""
    skipped = len(box.starts) - len(operand)
    starts = tuple(0 if dim == 1 else box.starts[skipped + axis] for axis, dim in enumerate(operand))
    stops = tuple(1 if dim == 1 else box.stops[skipped + axis] for axis, dim in enumerate(operand))
    return Box(starts, stops)


class PointwiseRule(Rule[Any]):
    """Element by element, operands broadcast: any axis may be cut, the first ones best (what is cut stays together)."""

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
