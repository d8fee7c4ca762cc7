"""Boundary: permutes next to inputs and outputs become part of the copy that crosses."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from ...ir.axes import compose, inverse, permute_shape
from ..device.instructions.movement import Permute
from ..ir.editing import Edit
from ..ir.module import Module
from .canonicalize import Canonicalize
from .module_pass import ModulePass


class PackAtBoundary(ModulePass):
    """Moves permutes into ``ModulePort.axes``. The host copies every tensor that crosses anyway. Exact.

    1. Several permutes of an input, all alike, and no other reader: the input crosses with these axes.
    2. An output that is the result of a permute: the permute's operand crosses, with the axes that put it right.
       The permute itself goes away unless a step reads it.

    Both rules are applied until no such permute is left: permutes in a row go one after another.
    An input that is also read without a permute, or is an output, or is permuted in two ways, stays as it is.
    """

    name = "boundary"
    follows: ClassVar[tuple[type[ModulePass], ...]] = (Canonicalize,)

    def rewrite(self, module: Module) -> Module:
        while (result := _once(module)) is not module:
            module = result
        return module


def _once(module: Module) -> Module:
    """The module without the permutes right at the boundary; further permutes may be behind them."""
    edit = Edit(module)
    for position in range(len(module.outputs)):
        _unpack(edit, position)
    edit = Edit(edit.finish())
    for position in range(len(edit.inputs)):
        _pack(edit, position)
    return edit.finish()


def _unpack(edit: Edit, position: int) -> None:
    """Case 2 for one output."""
    port = edit.outputs[position]
    step = edit.steps.get(port.buffer)
    if step is not None and isinstance(step.instruction, Permute):
        axes = compose(port.axes, inverse(step.instruction.axes))
        edit.set_output(position, replace(port, buffer=step.operands[0], axes=axes))


def _pack(edit: Edit, position: int) -> None:
    """Case 1 for one input."""
    port = edit.inputs[position]
    readers = edit.readers(port.buffer)
    instructions = {reader.instruction for reader in readers}
    if edit.is_output(port.buffer) or len(instructions) != 1:
        return
    instruction = instructions.pop()
    if isinstance(instruction, Permute):
        buffer = edit.buffer(port.buffer)
        packed = replace(buffer, shape=permute_shape(buffer.shape, instruction.axes))
        edit.set_input(position, replace(port, axes=compose(port.axes, instruction.axes)), packed)
        for reader in readers:
            edit.redirect(reader.output, port.buffer)
