"""Builder: reads tensors and emits instructions for lowering functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from ...delegate import Boundary, Kernel
from ...errors import DelegateBuildError
from ...ir.axes import Axes, identity, permute_shape
from ...ir.types.data_type import DataType
from ...tensors.tensor import Tensor
from ..device.instructions.cast import ConvertElements
from ..device.instructions.movement import Permute, View
from ..device.programs.instruction import Array, Instruction
from ..device.programs.program import Buffer, ElementType, ProgramStep
from .layout import TO_NCHW, TO_NHWC
from .module import MakeConstant, Module, ModulePort

ELEMENTS: dict[DataType, ElementType] = {
    DataType.FLOAT32: ElementType.FLOAT16,
    DataType.FLOAT16: ElementType.FLOAT16,
    DataType.INT32: ElementType.INT32,
    DataType.INT8: ElementType.INT8,
    DataType.UINT8: ElementType.UINT8,
    DataType.BOOL: ElementType.BOOL,
}
"""The device's element type for each element type of the host that can cross, where real numbers are float16."""


def elements_for(precision: ElementType) -> dict[DataType, ElementType]:
    """The device's element type for each one of the host, where real numbers are ``precision``."""
    return {**ELEMENTS, DataType.FLOAT32: precision, DataType.FLOAT16: precision}


class Builder:
    """Collects the instructions of one run.

    Every tensor is kept in model order; an instruction that needs another order is put between permutes. The passes
    take out permutes that are not needed. The model is not changed: axes and constants are rewritten as copies.

    Args:
        boundary: the tensors that cross the run's boundary.
        elements: the device's element type for each element type of the host.
    """

    def __init__(self, boundary: Boundary, elements: Mapping[DataType, ElementType] = ELEMENTS) -> None:
        self._boundary = boundary
        self._elements = elements
        self._layer = ""
        self._names: dict[str, int] = {}
        self._buffers: list[Buffer] = []
        self._steps: list[ProgramStep] = []
        self._inputs: dict[tuple[Tensor, ElementType], int] = {}
        self._constants: dict[int, MakeConstant] = {}
        self._places: dict[tuple[Tensor, Axes], int] = {}

    @property
    def floating(self) -> ElementType:
        """The element type in which the device keeps real numbers."""
        return self._elements[DataType.FLOAT32]

    def element(self, dtype: DataType) -> ElementType:
        """The device's element type for an element type of the host."""
        return self._elements[dtype]

    @contextmanager
    def reals_as(self, element: ElementType) -> Iterator[None]:
        """Inside, real numbers that are not on the device yet are kept as ``element``."""
        kept = self._elements
        self._elements = {**kept, DataType.FLOAT32: element, DataType.FLOAT16: element}
        try:
            yield
        finally:
            self._elements = kept

    def begin(self, kernel: Kernel) -> None:
        """Steps that follow belong to ``kernel``."""
        self._layer = kernel.name

    def read(self, tensor: Tensor, rank: int | None = None) -> int:
        """The buffer that holds ``tensor`` in model order.

        Args:
            rank: at least the tensor's; ones are put before its dimensions to reach it (broadcasting).
        """
        missing = 0 if rank is None else rank - len(tensor.shape)
        return self.read_as(tensor, (*(1,) * missing, *tensor.shape))

    def read_as(self, tensor: Tensor, shape: Axes) -> int:
        """The buffer that holds ``tensor`` under another shape of as many elements, such as with dimensions of 1."""
        key = (tensor, shape)
        if key not in self._places:
            self._places[key] = self._place(tensor, shape)
        return self._places[key]

    def read_float32(self, tensor: Tensor) -> int:
        """The buffer that holds a floating ``tensor`` in model order as float32, whatever the type of other buffers.

        From the host the tensor crosses as float32; a tensor that the device computed has the digits of its storage.
        """
        if tensor.is_const:
            return self.constant(ElementType.FLOAT32, tuple(tensor.shape), lambda: tensor.data)
        if tensor in self._boundary.inputs:
            return self._input(tensor, ElementType.FLOAT32)
        source = self.read(tensor)
        if self._buffers[source].element is ElementType.FLOAT32:
            return source
        convert = ConvertElements(ElementType.FLOAT32)
        return self.emit(convert, (source,), tuple(tensor.shape), ElementType.FLOAT32)

    def read_nchw(self, tensor: Tensor) -> int:
        """The buffer that holds ``tensor`` (N, H, W, C) as (N, C, H, W)."""
        return self.permuted(self.read(tensor), TO_NCHW)

    def _place(self, tensor: Tensor, shape: Axes) -> int:
        element = self._elements[tensor.dtype]
        if tensor.is_const:
            return self.constant(element, shape, lambda: tensor.data.reshape(shape))
        if shape != tuple(tensor.shape):
            return self.emit(View(shape), (self.read(tensor),), shape, element)
        return self._input(tensor, element)

    def _input(self, tensor: Tensor, element: ElementType) -> int:
        """The buffer in which a tensor crosses as ``element``."""
        if tensor not in self._boundary.inputs:
            raise DelegateBuildError(f"Tensor '{tensor.name}' is read before it is computed.")
        if (tensor, element) not in self._inputs:
            self._inputs[tensor, element] = self._buffer(tuple(tensor.shape), element)
        return self._inputs[tensor, element]

    def constant(self, element: ElementType, shape: Axes, make: MakeConstant) -> int:
        """A constant buffer whose exact contents, of that shape, ``make`` gives when the program is packed."""
        index = self._buffer(shape, element)
        self._constants[index] = make
        return index

    def value(self, array: Array, element: ElementType | None = None) -> int:
        """A constant buffer with these contents."""
        return self.constant(self.floating if element is None else element, array.shape, lambda: array)

    def permuted(self, source: int, axes: Axes) -> int:
        """The buffer ``source`` with its axes permuted."""
        buffer = self._buffers[source]
        return self.emit(Permute(axes), (source,), permute_shape(buffer.shape, axes), buffer.element)

    def emit(
        self, instruction: Instruction, operands: Sequence[int], shape: Axes, element: ElementType | None = None
    ) -> int:
        """Adds a step; the buffer it fills, ``shape`` in device order, of real numbers unless ``element`` is given."""
        index = self._buffer(shape, self.floating if element is None else element)
        name = self._unique(f"{self._layer}/{type(instruction).__name__}")
        self._steps.append(ProgramStep(instruction, tuple(operands), index, name, (self._layer,)))
        return index

    def define(self, tensor: Tensor, instruction: Instruction, operands: Sequence[int]) -> None:
        """Adds the step that computes ``tensor`` in model order."""
        self.alias(tensor, self.emit(instruction, operands, tuple(tensor.shape), self._elements[tensor.dtype]))

    def define_nchw(self, tensor: Tensor, instruction: Instruction, operands: Sequence[int]) -> None:
        """Adds the step that computes ``tensor`` (N, H, W, C) as (N, C, H, W)."""
        shape, element = permute_shape(tensor.shape, TO_NCHW), self._elements[tensor.dtype]
        self.alias(tensor, self.permuted(self.emit(instruction, operands, shape, element), TO_NHWC))

    def alias(self, tensor: Tensor, buffer: int) -> None:
        """Notes that a buffer holds ``tensor`` in model order."""
        self._places[tensor, tuple(tensor.shape)] = buffer

    def finish(self) -> Module:
        """The instructions and the ports through which the host's tensors cross.

        Raises:
            DelegateBuildError: an output was not computed, or a step reads a buffer that is never filled.
        """
        missing = [f"'{t.name}'" for t in self._boundary.outputs if (t, tuple(t.shape)) not in self._places]
        if missing:
            raise DelegateBuildError(f"The program does not compute {', '.join(missing)}, which is needed outside.")
        return Module(
            buffers=tuple(self._buffers),
            steps=tuple(self._steps),
            constants=self._constants,
            inputs=tuple(ModulePort(t, index, identity(len(t.shape))) for (t, _), index in self._inputs.items()),
            outputs=tuple(ModulePort(t, self.read(t), identity(len(t.shape))) for t in self._boundary.outputs),
        )

    def _buffer(self, shape: Axes, element: ElementType) -> int:
        self._buffers.append(Buffer(tuple(shape), element))
        return len(self._buffers) - 1

    def _unique(self, name: str) -> str:
        count = self._names[name] = self._names.get(name, 0) + 1
        return name if count == 1 else f"{name}.{count}"
