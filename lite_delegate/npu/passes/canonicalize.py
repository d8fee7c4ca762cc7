"""Canonicalize: one way to write each rearrangement of a tensor, and no instruction where nothing is rearranged."""

from __future__ import annotations

import numpy as np

from ...ir.axes import Axes, compose, identity, moves_nothing, permute_shape
from ..device.instructions.movement import Permute, View
from ..device.programs.instruction import Shape
from ..device.programs.program import ProgramStep
from ..ir.editing import Edit
from ..ir.module import MakeConstant, Module
from .module_pass import ModulePass


class Canonicalize(ModulePass):
    """Brings permutes and views into one form. Exact.

    1. A permute that only moves dimensions of size 1 becomes a view, which costs nothing.
    2. A permute of a permute becomes one permute.
    3. A permute or a view that changes nothing goes away; its readers read its operand.
    4. A view of a view becomes one view.
    5. A permute or a view of a constant becomes a constant, made when the program is packed.

    A permute of a view and a view of a permute stay: their combination is in general neither of the two.
    The first of two permutes or views stays as well where another step or the host needs it.
    """

    name = "canonicalize"

    def rewrite(self, module: Module) -> Module:
        edit = Edit(module)
        for output in list(edit.steps):
            _simplify(edit, edit.steps[output])
        return edit.finish()


def _simplify(edit: Edit, step: ProgramStep) -> None:
    """One step, whose operands have been simplified before."""
    if not isinstance(step.instruction, Permute | View):
        return
    instruction, source = _combined(edit, step.instruction, step.operands[0])
    shape = edit.buffer(source).shape
    make = edit.constants.get(source)
    if make is not None:
        edit.become_constant(step.output, rearranged(make, instruction))
    elif _changes_nothing(instruction, shape):
        edit.redirect(step.output, source)
    elif (instruction, (source,)) != (step.instruction, step.operands):
        edit.change(step, instruction, [source])


def _combined(edit: Edit, instruction: Permute | View, source: int) -> tuple[Permute | View, int]:
    """One rearrangement for ``instruction`` and the rearrangements right before it, and the buffer that it reads."""
    while True:
        shape = edit.buffer(source).shape
        if isinstance(instruction, Permute) and moves_nothing(shape, instruction.axes):
            instruction = View(permute_shape(shape, instruction.axes))
        combined = _with_previous(edit, instruction, source)
        if combined == (instruction, source):
            return combined
        instruction, source = combined


def _with_previous(edit: Edit, instruction: Permute | View, source: int) -> tuple[Permute | View, int]:
    """The one rearrangement that ``instruction`` and the step before it are, where they are one."""
    before = edit.steps.get(source)
    if before is None:
        return instruction, source
    if isinstance(instruction, Permute) and isinstance(before.instruction, Permute):
        return Permute(compose(before.instruction.axes, instruction.axes)), before.operands[0]
    if isinstance(instruction, View) and isinstance(before.instruction, View):
        return instruction, before.operands[0]
    return instruction, source


def _changes_nothing(instruction: Permute | View, shape: Shape) -> bool:
    if isinstance(instruction, Permute):
        return instruction.axes == identity(len(shape))
    return instruction.shape == shape


def rearranged(make: MakeConstant, instruction: Permute | View) -> MakeConstant:
    """The maker of a constant's contents after a permute or a view."""
    if isinstance(instruction, Permute):
        return permuted_constant(make, instruction.axes)
    shape = instruction.shape
    return lambda: np.reshape(make(), shape)


def permuted_constant(make: MakeConstant, axes: Axes) -> MakeConstant:
    """The maker of a constant's contents with its axes permuted."""
    return lambda: np.transpose(make(), axes)
