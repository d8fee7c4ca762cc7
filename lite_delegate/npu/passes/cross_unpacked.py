"""CrossUnpacked: tensors cross in the host's order of axes, and the device permutes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from ...ir.axes import Axes, identity, inverse, permute_shape
from ..device.instructions.movement import Permute
from ..device.programs.program import Buffer, ProgramStep
from ..ir.editing import UniqueNames
from ..ir.module import Module, ModulePort
from .boundary import PackAtBoundary
from .layouts import PlacePermutes
from .module_pass import ModulePass


class CrossUnpacked(ModulePass):
    """Crossings for the compute layout NHWC: the opposite of ``PackAtBoundary``, behind the passes for permutes. Exact.

    1. An input that was packed while it crossed now crosses unpacked, and a permute gives the packed buffer.
    2. An output that was unpacked while it crossed now has a permute of its own, whose result crosses.
    """

    name = "cross-unpacked"
    follows: ClassVar[tuple[type[ModulePass], ...]] = (PackAtBoundary, PlacePermutes)

    def rewrite(self, module: Module) -> Module:
        if all(_is_unpacked(port) for port in (*module.inputs, *module.outputs)):
            return module
        crossing = _Crossing(module)
        inputs = tuple(crossing.enter(port) for port in module.inputs)
        outputs = tuple(crossing.leave(port) for port in module.outputs)
        steps = (*crossing.first, *module.steps, *crossing.last)
        return replace(module, buffers=tuple(crossing.buffers), steps=steps, inputs=inputs, outputs=outputs)


class _Crossing:
    """The permutes before and behind the steps of a module, and the buffers that they need."""

    def __init__(self, module: Module) -> None:
        self.buffers = list(module.buffers)
        self.first: list[ProgramStep] = []
        self.last: list[ProgramStep] = []
        self._module = module
        self._names = UniqueNames(step.name for step in module.steps)

    def enter(self, port: ModulePort) -> ModulePort:
        """Case 1: the buffer of the port is filled by a permute."""
        if _is_unpacked(port):
            return port
        crossing = self._permuted(port.buffer, inverse(port.axes))
        readers = [step for step in self._module.steps if port.buffer in step.operands]
        self.first.append(self._permute(port.axes, crossing, port.buffer, readers))
        return replace(port, buffer=crossing, axes=identity(len(port.axes)))

    def leave(self, port: ModulePort) -> ModulePort:
        """Case 2: a permute reads the buffer of the port."""
        if _is_unpacked(port):
            return port
        axes = inverse(port.axes)
        crossing = self._permuted(port.buffer, axes)
        makers = [step for step in self._module.steps if step.output == port.buffer]
        self.last.append(self._permute(axes, port.buffer, crossing, makers))
        return replace(port, buffer=crossing, axes=identity(len(axes)))

    def _permuted(self, buffer: int, axes: Axes) -> int:
        known = self.buffers[buffer]
        self.buffers.append(Buffer(permute_shape(known.shape, axes), known.element))
        return len(self.buffers) - 1

    def _permute(self, axes: Axes, source: int, target: int, beside: Sequence[ProgramStep]) -> ProgramStep:
        layers = beside[0].layers if beside else ()
        name = self._names.unique(f"{layers[0] if layers else 'crossing'}/Permute")
        return ProgramStep(Permute(axes), (source,), target, name, layers)


def _is_unpacked(port: ModulePort) -> bool:
    return port.axes == identity(len(port.axes))
