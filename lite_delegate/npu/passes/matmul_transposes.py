"""MatMulTransposes: the matrix product reads transposed matrices as they are."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from ...ir.axes import Axes, identity
from ..device.instructions.matmul import MatMul
from ..device.instructions.movement import Permute
from ..device.programs.program import ProgramStep
from ..ir.editing import Edit
from ..ir.module import Module
from .layouts import PlacePermutes
from .module_pass import ModulePass


class MatMulTransposes(ModulePass):
    """Lets a product swap the last two axes of an operand, where a permute did it.

    1. A permute of the last two axes only, in front of the left matrix: the product reads the permute's operand,
       with ``transpose_a`` turned around.
    2. In front of the right one: likewise with ``transpose_b``.

    Not for a permute that also moves other axes. The permute stays if somebody else reads it.
    The same products are added in float32, perhaps in another order: both results are within
    ``error_bounds.matmul_error`` of the exact sum, and equal where no addition rounds.
    """

    name = "matmul-transposes"
    follows: ClassVar[tuple[type[ModulePass], ...]] = (PlacePermutes,)

    def rewrite(self, module: Module) -> Module:
        edit = Edit(module)
        for output in list(edit.steps):
            _read_as_is(edit, edit.steps[output])
        return edit.finish()


def _read_as_is(edit: Edit, step: ProgramStep) -> None:
    if not isinstance(step.instruction, MatMul):
        return
    left, right, *bias = step.operands
    a, b = _before_swap(edit, left), _before_swap(edit, right)
    if (a, b) != (left, right):
        instruction = replace(
            step.instruction,
            transpose_a=step.instruction.transpose_a != (a != left),
            transpose_b=step.instruction.transpose_b != (b != right),
        )
        edit.change(step, instruction, (a, b, *bias))


def _before_swap(edit: Edit, buffer: int) -> int:
    """The operand of a swap of the last two axes that makes ``buffer``; ``buffer`` itself when none makes it."""
    step = edit.steps.get(buffer)
    if step is None or not isinstance(step.instruction, Permute):
        return buffer
    return step.operands[0] if step.instruction.axes == _swap(len(step.instruction.axes)) else buffer


def _swap(rank: int) -> Axes:
    return (*identity(rank - 2), rank - 1, rank - 2)
