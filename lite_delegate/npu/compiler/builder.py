"""Builder: what a lowering function uses to read tensors in the layout it needs and to emit instructions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ...delegate import Boundary
from ...errors import DelegateBuildError
from ...ir.data_type import DataType
from ...tensor import Tensor
from ..device.instruction import Array, Instruction, narrow
from ..device.movement import Permute, View
from ..device.program import Buffer, ElementType, Program, Step
from .compiled import Compiled, ConstantSource, Port
from .layout import PACKED_RANK, Axes, Layout, arranged, conversion, model_axes, moves_nothing

ELEMENTS: dict[DataType, ElementType] = {
    DataType.FLOAT32: ElementType.FLOAT16,
    DataType.FLOAT16: ElementType.FLOAT16,
    DataType.INT32: ElementType.INT32,
    DataType.BOOL: ElementType.BOOL,
}
"""The device's element type for each element type of the host that can cross."""


class Builder:
    """Collects the program of one run.

    A tensor may lie on the device in both layouts; the second one is made by a permute when it is first asked
    for, and kept, so that there is one permute per tensor and layout however many kernels read it. Nothing of
    the model is changed: axes and constants are rewritten as copies.

    Args:
        boundary: the tensors that cross.
        wanted: the layout in which each boundary input crosses.
    """

    def __init__(self, boundary: Boundary, wanted: Mapping[Tensor, Layout]) -> None:
        self._boundary = boundary
        self._wanted = wanted
        self._buffers: list[Buffer] = []
        self._steps: list[Step] = []
        self._inputs: dict[Tensor, int] = {}
        self._constants: list[ConstantSource] = []
        self._places: dict[tuple[Tensor, Layout, Axes], int] = {}
        self._homes: dict[Tensor, Layout] = {}

    def home(self, tensor: Tensor) -> Layout:
        """The layout in which a variable tensor lies, or will cross from the host."""
        return self._homes.get(tensor) or self._wanted.get(tensor, Layout.PLAIN)

    def layouts(self, tensor: Tensor) -> tuple[Layout, ...]:
        """The layouts in which a variable tensor can be read without a permute, its home first."""
        home = self.home(tensor)
        others = (layout for layout in Layout if layout is not home)
        return (home, *(layout for layout in others if (tensor, layout, tuple(tensor.shape)) in self._places))

    def follow(self, tensors: Sequence[Tensor], rank: int) -> Layout:
        """The layout for an operator that takes its operands as they lie: PACKED when a variable one does."""
        lying = {self.home(t) for t in tensors if not t.is_const and len(t.shape) == PACKED_RANK}
        return Layout.PACKED if rank == PACKED_RANK and Layout.PACKED in lying else Layout.PLAIN

    def read(self, tensor: Tensor, layout: Layout, rank: int | None = None) -> int:
        """The buffer that holds ``tensor`` in ``layout``.

        Args:
            rank: at least the tensor's; ones are put before its dimensions to reach it (broadcasting).
        """
        missing = 0 if rank is None else rank - len(tensor.shape)
        return self.read_as(tensor, layout, (*(1,) * missing, *tensor.shape))

    def read_as(self, tensor: Tensor, layout: Layout, shape: Axes) -> int:
        """The buffer that holds ``tensor`` in ``layout`` after ones were put around its dimensions.

        Args:
            shape: the tensor's dimensions, in order, and ones.
        """
        key = (tensor, layout, shape)
        if key not in self._places:
            self._places[key] = self._place(tensor, layout, shape)
        return self._places[key]

    def _place(self, tensor: Tensor, layout: Layout, shape: Axes) -> int:
        element = ELEMENTS[tensor.dtype]
        if tensor.is_const:
            return self.constant(element, arranged(shape, layout), lambda: _packed(tensor, shape, layout))
        if shape != tuple(tensor.shape):
            view = self.emit(View(shape), (self.read(tensor, Layout.PLAIN),), shape, element)
            return self.permuted(view, conversion(Layout.PLAIN, layout, len(shape)))
        if tensor in self._boundary.inputs and tensor not in self._inputs:
            return self._input(tensor, layout)
        home = self.home(tensor)
        return self.permuted(self.read(tensor, home), conversion(home, layout, len(shape)))

    def _input(self, tensor: Tensor, layout: Layout) -> int:
        home = self.home(tensor)
        index = self._buffer(arranged(tensor.shape, home), ELEMENTS[tensor.dtype])
        self._inputs[tensor] = self._places[tensor, home, tuple(tensor.shape)] = index
        return self.permuted(index, conversion(home, layout, len(tensor.shape)))

    def constant(self, element: ElementType, shape: Axes, make: Callable[[], Array]) -> int:
        """A constant buffer whose contents, of that shape, ``make`` gives when the program is loaded."""
        index = self._buffer(shape, element)
        self._constants.append(ConstantSource(index, lambda: _element_array(make(), element)))
        return index

    def permuted(self, source: int, axes: Axes) -> int:
        """The buffer ``source`` with its axes permuted; a view where no element moves."""
        buffer = self._buffers[source]
        shape = tuple(buffer.shape[axis] for axis in axes)
        if axes == tuple(range(len(axes))):
            return source
        if moves_nothing(buffer.shape, axes):
            return self.emit(View(shape), (source,), shape, buffer.element)
        return self.emit(Permute(axes), (source,), shape, buffer.element)

    def emit(
        self,
        instruction: Instruction,
        operands: Sequence[int],
        shape: Axes,
        element: ElementType = ElementType.FLOAT16,
    ) -> int:
        """Adds a step; the buffer it fills, ``shape`` in device order."""
        index = self._buffer(shape, element)
        self._steps.append(Step(instruction, tuple(operands), index))
        return index

    def define(self, tensor: Tensor, layout: Layout, instruction: Instruction, operands: Sequence[int]) -> None:
        """Adds the step that computes ``tensor`` in ``layout``."""
        index = self.emit(instruction, operands, arranged(tensor.shape, layout), ELEMENTS[tensor.dtype])
        self.alias(tensor, layout, index)

    def alias(self, tensor: Tensor, layout: Layout, buffer: int) -> None:
        """Notes that a buffer holds ``tensor`` in ``layout``."""
        self._places[tensor, layout, tuple(tensor.shape)] = buffer
        self._homes[tensor] = layout

    def finish(self) -> Compiled:
        """The program and what the host has to know about it.

        Raises:
            DelegateBuildError: a tensor that is needed outside was not computed.
        """
        missing = [f"'{t.name}'" for t in self._boundary.outputs if t not in self._homes]
        if missing:
            raise DelegateBuildError(f"The program does not compute {', '.join(missing)}, which is needed outside.")
        outputs = tuple(Port(t, self._homes[t]) for t in self._boundary.outputs)
        program = Program(
            buffers=tuple(self._buffers),
            constants=tuple(source.buffer for source in self._constants),
            inputs=tuple(self._inputs.values()),
            outputs=tuple(self.read(p.tensor, p.layout) for p in outputs),
            steps=tuple(self._steps),
        )
        program.check()
        inputs = tuple(Port(t, self.home(t)) for t in self._inputs)
        return Compiled(program, inputs, outputs, tuple(self._constants))

    def _buffer(self, shape: Axes, element: ElementType) -> int:
        self._buffers.append(Buffer(tuple(shape), element))
        return len(self._buffers) - 1


def _packed(tensor: Tensor, shape: Axes, layout: Layout) -> Array:
    return tensor.data.reshape(shape).transpose(model_axes(layout, len(shape)))


def _element_array(array: Array, element: ElementType) -> Array:
    rounded = narrow(array) if element is ElementType.FLOAT16 else array.astype(element.numpy)
    return np.ascontiguousarray(rounded).reshape(array.shape)
