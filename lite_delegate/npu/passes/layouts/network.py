"""ModuleNetwork: a module without its permutes, as values that steps make and read in some order of axes."""

from __future__ import annotations

from collections.abc import Mapping

from ....basics.data_class import dataclass
from ....ir.axes import Axes, compose, identity
from ....passes.transposes.groups import groups_of
from ...device.instructions.matmul import MatMul
from ...device.instructions.movement import Permute, View
from ...device.programs.instruction import Shape
from ...device.programs.program import ProgramStep
from ...ir.editing import Edit
from ...ir.module import Module
from .movers import Absorbing, Across, Fixed, Free, Mover, Reordering
from .regroup import regrouping, signature

Labels = Mapping[int, Axes]
"""The permutation of a step's operands (or of an input), relative to the module, by the buffer that the step fills. A
step that is not listed stays as it is."""


@dataclass(frozen=True, slots=True)
class BufferUse:
    """A step that reads a value.

    Attributes:
        node: the buffer that the step fills.
        axes: the permutation in which the step reads the value in the given module.
    """

    node: int
    axes: Axes


@dataclass(frozen=True, slots=True)
class MadeBuffer:
    """The buffer that one step makes (or an input), in any order of its axes, and all its readers.

    Attributes:
        root: the buffer of the step (or input), which has the axes in order.
        shape: the shape of the root.
        nbytes: the bytes that a permute of it moves.
        uses: the uses of the value.
    """

    root: int
    shape: Shape
    nbytes: int
    uses: tuple[BufferUse, ...]

    @property
    def is_trivial(self) -> bool:
        """True when no permutation of the value moves elements."""
        return self.nbytes == 0 or len(self.shape) - self.shape.count(1) <= 1


@dataclass(frozen=True, slots=True)
class ModuleNetwork:
    """A module without its permutes.

    Attributes:
        module: the module.
        origin: for each buffer, the value that it holds (by root), and the permutation.
        movers: for each step that is no permute, and each input, by buffer.
        values: the values that are no constants, by root.
        reads: for each step that is no permute, the values that it reads, with the permutation.
    """

    module: Module
    origin: Mapping[int, tuple[int, Axes]]
    movers: Mapping[int, Mover]
    values: Mapping[int, MadeBuffer]
    reads: Mapping[int, tuple[tuple[int, Axes], ...]]

    def presentations(self, value: MadeBuffer, labels: Labels) -> dict[Axes, Axes]:
        """The orders in which a value is made and read: by signature, one permutation of the root for each."""
        found: dict[Axes, Axes] = {}
        read = [read_as(use.axes, labels[use.node]) if use.node in labels else use.axes for use in value.uses]
        for axes in (self.made(value.root, labels), *read):
            found.setdefault(signature(value.shape, axes), axes)
        return found

    def made(self, root: int, labels: Labels) -> Axes:
        """The permutation of the root in which a step makes a value."""
        label = labels.get(root)
        result = None if label is None else self.movers[root].result(label)
        return identity(len(self.module.buffers[root].shape)) if result is None else result

    def cost(self, value: MadeBuffer, labels: Labels) -> int:
        """The bytes moved by permutes of one value: one permute for each order in which it is not made."""
        return 0 if value.is_trivial else value.nbytes * (len(self.presentations(value, labels)) - 1)


def read_as(axes: Axes, label: Axes | None) -> Axes:
    """The axes in which a step reads a value; it reads the value permuted by ``axes`` when it has no label."""
    return axes if label is None else compose(axes, label)


def network_of(module: Module) -> ModuleNetwork:
    """Takes a module apart."""
    edit = Edit(module)
    origin: dict[int, tuple[int, Axes]] = {
        index: (index, identity(len(buffer.shape))) for index, buffer in enumerate(module.buffers)
    }
    movers: dict[int, Mover] = {port.buffer: Free() for port in module.inputs}
    reads: dict[int, tuple[tuple[int, Axes], ...]] = {}
    uses: dict[int, list[BufferUse]] = {}
    for step in module.steps:
        if isinstance(step.instruction, Permute):
            root, axes = origin[step.operands[0]]
            origin[step.output] = root, compose(axes, step.instruction.axes)
            continue
        movers[step.output] = _mover(module, edit, step)
        reads[step.output] = tuple(map(origin.__getitem__, step.operands))
        for root, axes in reads[step.output]:
            uses.setdefault(root, []).append(BufferUse(step.output, axes))
    values = {
        root: MadeBuffer(root, module.buffers[root].shape, module.buffers[root].nbytes, tuple(uses.get(root, ())))
        for root in movers
    }
    return ModuleNetwork(module, origin, movers, values, reads)


def _mover(module: Module, edit: Edit, step: ProgramStep) -> Mover:
    shape = module.buffers[step.output].shape
    shapes = [module.buffers[i].shape for i in step.operands]
    if isinstance(step.instruction, View):
        return _absorbing(module, edit, step) or Across(regrouping(shapes[0], shape))
    if shapes and {*map(len, shapes)} == {len(shape)}:
        return Reordering(step.instruction)
    return Fixed()


def _absorbing(module: Module, edit: Edit, step: ProgramStep) -> Absorbing | None:
    """The mover of a view whose last axis is made of several, and is only summed over with constants."""
    source, target = module.buffers[step.operands[0]].shape, module.buffers[step.output].shape
    readers = edit.readers(step.output)
    if edit.is_output(step.output) or not readers or 0 in source:
        return None
    if not all(_sums_with_constant(module, reader, step.output) for reader in readers):
        return None
    groups = groups_of(source, target)
    if not groups or groups[-1][1] != (len(target) - 1,) or len(groups[-1][0]) < 2:
        return None
    return Absorbing(source, target, groups)


def _sums_with_constant(module: Module, step: ProgramStep, left: int) -> bool:
    """True for a product of the matrix ``left``, not transposed, with a constant of at least two dimensions."""
    if not isinstance(step.instruction, MatMul) or step.instruction.transpose_a or step.operands.count(left) != 1:
        return False
    right = step.operands[1]
    return step.operands[0] == left and right in module.constants and len(module.buffers[right].shape) >= 2
