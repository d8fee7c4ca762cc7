"""Splitting matrix products: along rows, columns and batches of the result, and along their sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...device.instructions.functions import UNFUSED, Fused
from ...device.instructions.matmul import MatMul
from ...device.instructions.quantized_matmul import QuantizedMatMul
from ...device.programs.instruction import Shape
from .box import Box, whole
from .channels import channels_of
from .pointwise import broadcast_box
from .rule import TERMS, SumRule, TiledPart


class ProductRule(SumRule[Any]):
    """a (..., M, K) times b (..., K, N) plus bias (N,): rows of a, columns of b and of the bias."""

    def units(self, instruction: Any, operands: Sequence[Shape], output: Shape) -> Mapping[int, int]:
        rank = len(output)
        axes = (rank - 1, rank - 2, *range(rank - 2))
        return dict.fromkeys(axes, 1) | ({TERMS: 1} if isinstance(instruction, MatMul) else {})

    def part(self, instruction: Any, operands: Sequence[Shape], box: Box) -> TiledPart:
        rank, (a, b) = len(box.starts), operands[:2]
        rows, columns = box.along(rank - 2), box.along(rank - 1)
        left = _batches(box, a).with_along(_axis(a, -1 if instruction.transpose_a else -2), *rows)
        right = _batches(box, b).with_along(_axis(b, -2 if instruction.transpose_b else -1), *columns)
        bias = (whole(shape).with_along(len(shape) - 1, *columns) for shape in operands[2:])
        every = b[-2 if instruction.transpose_b else -1]
        return TiledPart(channels_of(instruction, *columns, every), (left, right, *bias))

    def terms(self, instruction: Any, operands: Sequence[Shape]) -> int:
        return operands[0][-2 if instruction.transpose_a else -1]

    def partial(self, part: TiledPart, start: int, stop: int, *, first: bool) -> TiledPart:
        instruction = part.instruction
        assert isinstance(instruction, MatMul)
        a, b, *bias = part.boxes
        left = a.with_along(_axis(a.starts, -2 if instruction.transpose_a else -1), start, stop)
        right = b.with_along(_axis(b.starts, -1 if instruction.transpose_b else -2), start, stop)
        return TiledPart(replace(instruction, fused=UNFUSED), (left, right, *(bias if first else ())))

    def fused(self, instruction: Any) -> Fused:
        fused: Fused = instruction.fused
        return fused


def _batches(box: Box, operand: Shape) -> Box:
    """The whole matrices of an operand that ``box`` of the result needs."""
    matrices = broadcast_box(Box(box.starts[:-2], box.stops[:-2]), operand[:-2])
    return Box((*matrices.starts, 0, 0), (*matrices.stops, *operand[-2:]))


def _axis(shape: Shape, axis: int) -> int:
    return len(shape) + axis


PRODUCTS = (MatMul, QuantizedMatMul)
