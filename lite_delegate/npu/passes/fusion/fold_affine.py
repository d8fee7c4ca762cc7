"""FoldAffine: batch normalization, scale and bias that become part of the weights before them."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from ....basics.data_class import dataclass
from ...device.instructions.convolution import Convolution
from ...device.instructions.depthwise import DepthwiseConvolution
from ...device.instructions.functions import UNFUSED
from ...device.instructions.matmul import MatMul
from ...device.instructions.transposed_convolution import TransposedConvolution
from ...device.programs.instruction import Array
from ...device.programs.program import Buffer, ProgramStep
from ...ir.editing import Edit
from ...ir.module import MakeConstant, Module
from ..canonicalize import Canonicalize
from ..dead_code import DeadCode
from ..layouts import PlacePermutes
from ..module_pass import ModulePass
from .affine import AffineMap, affine_of
from .functions import FLOATING

Weighted = Convolution | DepthwiseConvolution | TransposedConvolution | MatMul


class FoldAffine(ModulePass):
    """Folds ``x * factor + offset`` per output channel into the constants of the step that makes x.

    1. Convolution (plain, depthwise; transposed with one group) or MatMul with constant weights + batch
       normalization (``Normalize``).
    2. Such a step + ``ScaleShift`` by constants, + ``Binary`` MUL or DIV by a constant, or SUB from a constant.
    3. Such a step (MatMul with any weights) + ADD or SUB of a constant: a bias, or the sum of two biases.
    4. Several such maps in a row, one after another. An activation fused into the last map stays.

    New weights are w * factor, the new bias bias * factor + offset, in float64 from the exact constants; they are
    rounded once, when they are packed. Constants that other steps read stay for these steps.

    Not when an activation or a pool comes between, a constant varies along another axis than the channels',
    another step needs the value between, a new weight or bias is not finite or beyond the largest number of the
    element type, or the largest weight of a channel falls below the smallest normal number, where weights lose
    precision.

    The result is a sum of products as any other: within ``error_bounds.matmul_error`` (for x, the new weights and
    the new bias) of the exact result. Before, the error was the old weights' error times ``|factor|``, and the second
    step's own roundings; the two results differ by no more than the sum of both errors.
    """

    name = "fold-affine"
    follows: ClassVar[tuple[type[ModulePass], ...]] = (DeadCode, Canonicalize, PlacePermutes)

    def rewrite(self, module: Module) -> Module:
        edit = Edit(module)
        for step in module.steps:
            current = edit.steps.get(step.output)
            while current is not None:
                current = _folded(edit, current)
        return edit.finish()


@dataclass(frozen=True, slots=True)
class _Folding:
    """The place of the channels.

    Attributes:
        axis: of the result.
        weight_axis: of the weight, non-negative.
    """

    axis: int
    weight_axis: int


def _folded(edit: Edit, step: ProgramStep) -> ProgramStep | None:
    """The step with the one after it folded in; None when it cannot be."""
    instruction, reader = step.instruction, edit.only_reader(step.output)
    if not isinstance(instruction, Weighted) or instruction.fused != UNFUSED or reader is None:
        return None
    where = _folding(edit, step, instruction)
    if where is None:
        return None
    affine = affine_of(edit, reader, step.output, where.axis)
    operands = None if affine is None else _new_operands(edit, step, affine, where)
    if affine is None or operands is None:
        return None
    return edit.fuse(step, reader, step, replace(instruction, fused=affine.fused), operands)


def _folding(edit: Edit, step: ProgramStep, instruction: Weighted) -> _Folding | None:
    result, rank = edit.buffer(step.output), len(edit.buffer(step.operands[1]).shape)
    if result.element not in FLOATING or getattr(instruction, "pooled", None) is not None:
        return None
    if isinstance(instruction, MatMul):
        if rank < 2:
            return None
        return _Folding(len(result.shape) - 1, rank - (2 if instruction.transpose_b else 1))
    if isinstance(instruction, TransposedConvolution):
        return _Folding(1, 3) if instruction.group == 1 else None
    return _Folding(1, 0)


def _new_operands(edit: Edit, step: ProgramStep, affine: AffineMap, where: _Folding) -> list[int] | None:
    """x, the new weight and the new bias; None when one of them has no good representation."""
    x, weight, *old = step.operands
    bias = _bias(edit, old, affine)
    if bias is None or not _fits(bias, edit.buffer(step.output)):
        return None
    if affine.factor is not None:
        make, buffer = edit.constants.get(weight), edit.buffer(weight)
        if make is None or not _scales_well(make(), affine.factor, where.weight_axis, buffer):
            return None
        weight = edit.add_constant(buffer, _scaled(make, affine.factor, where.weight_axis))
    element = edit.buffer(step.output).element
    return [x, weight, edit.add_constant(Buffer(bias.shape, element), lambda: bias)]


def _bias(edit: Edit, old: list[int], affine: AffineMap) -> Array | None:
    """The bias, float64 (C,); None when the bias is no constant."""
    if not old:
        return affine.offset
    make = edit.constants.get(old[0])
    if make is None:
        return None
    with np.errstate(all="ignore"):  # the caller rejects numbers that are not finite
        bias = make().astype(np.float64)
        return np.asarray((bias if affine.factor is None else bias * affine.factor) + affine.offset)


def _fits(values: Array, buffer: Buffer) -> bool:
    """True when all are finite and in the range of the buffer's element type."""
    return bool((np.abs(values) <= float(np.finfo(buffer.element.numpy).max)).all())


def _scales_well(weight: Array, factor: Array, axis: int, buffer: Buffer) -> bool:
    """True when the scaled weight is in range, and each channel's largest element is a normal number or zero."""
    others = tuple(i for i in range(weight.ndim) if i != axis)
    with np.errstate(all="ignore"):
        before = np.maximum(weight.max(others, initial=0.0), -weight.min(others, initial=0.0)).astype(np.float64)
        largest = before * np.abs(factor)
    smallest = float(np.finfo(buffer.element.numpy).smallest_normal)
    return _fits(largest, buffer) and bool(((largest >= smallest) | (largest == 0.0)).all())


def _scaled(make: MakeConstant, factor: Array, axis: int) -> MakeConstant:
    def scaled() -> Array:
        weight = make()
        shape = [1] * weight.ndim
        shape[axis] = -1
        return np.asarray(weight * factor.reshape(shape))

    return scaled
