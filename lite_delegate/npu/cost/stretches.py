"""The stretches of memory that a transfer is made of: elements that are neighbors in source and destination alike."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..device.instructions.dma import Dma
from ..device.instructions.gathering import GatherAlong, Take
from ..device.instructions.movement import Concatenate, Permute
from ..device.instructions.padding import Pad
from ..device.instructions.slicing import Slice
from ..device.programs.instruction import Axes, Instruction, Shape


def stretches(instruction: Instruction, operands: Sequence[Shape], output: Shape) -> int:
    """The stretches that an instruction of the DMA engines moves, for its operands' and its result's dimensions.

    - A permutation keeps the trailing axes together that it leaves in place; where the last axis moves, each element
      is a stretch of its own.
    - A concatenation writes, of each operand, the elements behind the axis at once.
    - A slice keeps the elements behind the last cut axis together, and along this axis where it takes neighbors.
    - Taking positions of an axis moves the elements behind the axis at once.
    - A copy from one memory to the other is one stretch.
    - Padding and other instructions that keep the last axis write line by line; further instructions move single
      elements.
    """
    match instruction:
        case Permute(axes=axes):
            return permuted_stretches(operands[0], axes)
        case Concatenate(axis=axis):
            return sum(math.prod(shape[:axis]) for shape in operands)
        case Slice(counts=counts, strides=strides):
            return _sliced(operands[0], counts, strides)
        case Take(axis=axis) | GatherAlong(axis=axis):
            return math.prod(output) // max(1, math.prod(operands[0][axis + 1 :]))
        case Pad():
            return math.prod(output[:-1])
        case Dma():
            return 1
        case _:
            return _by_lines(operands[0] if operands else output, output)


def permuted_stretches(shape: Shape, axes: Axes) -> int:
    """The stretches of permuting a tensor of ``shape`` by ``axes``: 1 where nothing moves in memory."""
    moved = [axis for axis in axes if shape[axis] != 1]
    kept = sorted(moved)
    while kept and moved[-1] == kept[-1]:
        moved.pop()
        kept.pop()
    return math.prod(map(shape.__getitem__, moved))


def part_stretches(part: Shape, whole: Shape) -> int:
    """The stretches of a part that lies in a larger tensor: 1 where only the first axis is cut, or none."""
    behind = len(part)
    while behind and part[behind - 1] == whole[behind - 1]:
        behind -= 1
    return math.prod(part[: max(0, behind - 1)])


def _sliced(shape: Shape, counts: Axes, strides: Axes) -> int:
    for axis in reversed(range(len(shape))):
        if counts[axis] != shape[axis]:
            return math.prod(counts[: axis if strides[axis] == 1 else axis + 1])
    return 1


def _by_lines(operand: Shape, output: Shape) -> int:
    if not operand or not output:
        return 1
    return math.prod(output[:-1]) if operand[-1] == output[-1] else math.prod(output)
