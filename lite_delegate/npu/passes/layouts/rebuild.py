"""A module from a network with labels: permutes only where a value is read in another order than it was made in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....ir.axes import Axes, compose, identity, inverse, permute_shape
from ...device.instructions.matmul import MatMul
from ...device.instructions.movement import Permute, View
from ...device.programs.instruction import Instruction, Shape
from ...device.programs.program import Buffer, ProgramStep
from ...ir.editing import UniqueNames, without_dead
from ...ir.module import MakeConstant, Module, ModulePort
from ..canonicalize import permuted_constant
from .movers import Absorbing, Across, Reordering
from .network import Labels, ModuleNetwork, read_as
from .regroup import signature


def rebuilt(network: ModuleNetwork, labels: Labels) -> Module:
    """The module with every step running under its label."""
    return _ModuleRebuild(network, labels).module()


class _ModuleRebuild:
    """Old buffers keep their numbers (with new shapes where axes are permuted), new ones come after them."""

    def __init__(self, network: ModuleNetwork, labels: Labels) -> None:
        self._network = network
        self._labels = dict(labels)
        self._old = network.module
        self._buffers = list(self._old.buffers)
        self._constants = dict(self._old.constants)
        self._steps: list[ProgramStep] = []
        self._names = UniqueNames(s.name for s in self._old.steps if not isinstance(s.instruction, Permute))
        self._places: dict[int, dict[Axes, int]] = {root: {self._identity(root): root} for root in self._constants}

    def module(self) -> Module:
        inputs = tuple(self._input(port) for port in self._old.inputs)
        for step in self._old.steps:
            if not isinstance(step.instruction, Permute):
                self._step(step)
        outputs = tuple(self._output(port) for port in self._old.outputs)
        return without_dead(Module(tuple(self._buffers), tuple(self._steps), self._constants, inputs, outputs))

    def _identity(self, root: int) -> Axes:
        return identity(len(self._old.buffers[root].shape))

    def _input(self, port: ModulePort) -> ModulePort:
        made = self._place_made(port.buffer)
        return replace(port, axes=compose(port.axes, made))

    def _output(self, port: ModulePort) -> ModulePort:
        """The port with the value in one of its orders: in the model's own order if the value has it."""
        root, axes = self._network.origin[port.buffer]
        to_root = compose(port.axes, inverse(axes))
        choices = {compose(to_root, order): buffer for order, buffer in self._places[root].items()}
        best = min(choices, key=lambda packing: packing != identity(len(packing)))
        return replace(port, buffer=choices[best], axes=best)

    def _place_made(self, root: int) -> Axes:
        """Gives the buffer of a value the shape with which it is now made."""
        made = self._network.made(root, self._labels)
        self._buffers[root] = replace(self._old.buffers[root], shape=permute_shape(self._old.buffers[root].shape, made))
        self._places[root] = {made: root}
        return made

    def _step(self, step: ProgramStep) -> None:
        self._settle_unit_axes(step)
        label = self._labels.get(step.output)
        operands = [
            self._presented(root, read_as(axes, label), step) for root, axes in self._network.reads[step.output]
        ]
        self._reorder_rows(step, operands)
        self._place_made(step.output)
        instruction = step.instruction if label is None else self._relabeled(step, label)
        self._steps.append(replace(step, instruction=instruction, operands=tuple(operands)))

    def _settle_unit_axes(self, step: ProgramStep) -> None:
        """Puts a label's axes of size 1 where an existing operand has them, so that the operand needs no view."""
        mover = self._network.movers[step.output]
        if not isinstance(mover, Reordering | Across):
            return
        reads = [(root, axes) for root, axes in self._network.reads[step.output] if root not in self._constants]
        label = self._labels.get(step.output, identity(len(reads[0][1]))) if reads else ()
        for root, axes in reads:
            for place in self._places[root]:
                candidate = compose(inverse(axes), place)
                if self._differs_in_unit_axes(step, reads, label, candidate):
                    self._labels[step.output] = candidate
                    return

    def _differs_in_unit_axes(self, step: ProgramStep, reads: list[tuple[int, Axes]], label: Axes, other: Axes) -> bool:
        """True when a step moves the same under two labels (or they are equal)."""
        mover, shape = self._network.movers[step.output], self._old.buffers[step.output].shape
        result, other_result = mover.result(label), mover.result(other)
        if result is None or other_result is None or signature(shape, result) != signature(shape, other_result):
            return False
        shapes = [self._old.buffers[root].shape for root, _ in reads]
        pairs = [
            (signature(s, compose(axes, label)), signature(s, compose(axes, other)))
            for s, (_, axes) in zip(shapes, reads, strict=True)
        ]
        return all(before == now for before, now in pairs)

    def _relabeled(self, step: ProgramStep, label: Axes) -> Instruction:
        mover = self._network.movers[step.output]
        if isinstance(mover, Reordering):
            other = mover.instruction.reordered(inverse(label))
            return step.instruction if other is None else other
        return View(self._buffers[step.output].shape)

    def _presented(self, root: int, axes: Axes, reader: ProgramStep) -> int:
        """The buffer with a value in an order; a permute, view or constant is made for it where it is missing."""
        places = self._places[root]
        if axes not in places:
            if root in self._constants:
                places[axes] = self._constant(root, permute_shape(self._old.buffers[root].shape, axes), axes)
            else:
                places[axes] = self._rearranged(root, axes, reader)
        return places[axes]

    def _constant(self, root: int, shape: Shape, axes: Axes) -> int:
        index = self._buffer(shape, root)
        self._constants[index] = permuted_constant(self._constants[root], axes)
        return index

    def _rearranged(self, root: int, axes: Axes, reader: ProgramStep) -> int:
        shape = self._old.buffers[root].shape
        alike = [known for known in self._places[root] if signature(shape, known) == signature(shape, axes)]
        known = alike[0] if alike else next(iter(self._places[root]))
        target = permute_shape(shape, axes)
        instruction = View(target) if alike else Permute(compose(inverse(known), axes))
        index = self._buffer(target, root)
        name = self._names.unique(f"{reader.name.rpartition('/')[0]}/{type(instruction).__name__}")
        self._steps.append(ProgramStep(instruction, (self._places[root][known],), index, name, reader.layers))
        return index

    def _buffer(self, shape: Shape, root: int) -> int:
        self._buffers.append(Buffer(shape, self._old.buffers[root].element))
        return len(self._buffers) - 1

    def _reorder_rows(self, step: ProgramStep, operands: list[int]) -> None:
        """Where the left matrix of a product is a view that absorbs a permute: the constant's rows in that order."""
        source = step.operands[0]
        mover, label = self._network.movers.get(source), self._labels.get(source)
        if not isinstance(mover, Absorbing) or label is None or not isinstance(step.instruction, MatMul):
            return
        weight = self._buffers[operands[1]]
        rank = len(weight.shape)
        axis = rank - (1 if step.instruction.transpose_b else 2)
        make = reordered_rows(self._constants[operands[1]], axis, mover.sizes, mover.rows(label))
        index = self._buffer(weight.shape, operands[1])
        self._constants[index] = make
        operands[1] = index


def reordered_rows(make: MakeConstant, axis: int, sizes: Shape, axes: Axes) -> MakeConstant:
    """The recipe of a constant whose axis ``axis``, seen as axes of these sizes, has them permuted."""

    def reordered() -> np.ndarray:
        array = make()
        split = array.reshape(*array.shape[:axis], *sizes, *array.shape[axis + 1 :])
        inside = [axis + each for each in axes]
        behind = range(axis + len(sizes), split.ndim)
        return split.transpose(*range(axis), *inside, *behind).reshape(array.shape)

    return reordered
