"""The kernels and tensors of the parent's model, as the delegate sees them."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ...delegate import Body, Branches, Kernel, Rounds
from ...delegate.flow import ControlFlow
from ...errors import DelegateBuildError, DelegateError
from ...tensors.tensor import Array, Tensor
from ..passing.memory import ArrayPlace
from ..passing.messages import BodyNote, FlowNote, GraphNote, InFile, KernelNote, News, TensorNote
from .host_function import host_function


class MirrorKernel(Kernel):
    """A kernel of the parent's model: a node with its primitive, or a graph kernel of somebody else without."""

    def execute(self) -> None:
        """Runs the reference kernel of a node on the tensors.

        Raises:
            UnsupportedOperatorError: there is none.
        """
        function, operands = host_function(self), [None if t is None else t.data for t in self.operands]
        for tensor, array in zip(self.outputs, function(operands), strict=False):
            tensor.data = np.asanyarray(array)


class WeightsFile(mmap.mmap):
    """A mapped model file that knows where it is."""

    path: Path


class Mirrors:
    """What the parent has told by number, and the graph kernels that the delegate has made, by numbers below 0."""

    def __init__(self) -> None:
        self._tensors: dict[int, Tensor] = {}
        self._kernels: dict[int, Kernel] = {}
        self._numbers: dict[int, int] = {}
        self._files: dict[str, WeightsFile] = {}
        self._made = 0

    def take(self, news: News, memory: mmap.mmap | None) -> None:
        """Takes news in; ``memory`` has the contents of constants.

        Raises:
            DelegateError: a model file cannot be read.
        """
        for tensor in news.tensors:
            made = self._tensors[tensor.number] = self._tensor(tensor, memory)
            self._numbers[id(made)] = tensor.number
        for kernel in news.kernels:
            self._kernels[kernel.number] = self._kernel(kernel)

    def forget(self, news: News) -> None:
        """Lets go what the parent needs no more."""
        for number in news.gone_kernels:
            self._kernels.pop(number, None)
        for number in news.gone_tensors:
            self._numbers.pop(id(self._tensors.pop(number, None)), None)

    def tensor(self, number: int) -> Tensor:
        """The tensor of a number."""
        return self._tensors[number]

    def number(self, tensor: Tensor) -> int:
        """The number of a tensor of the parent's; 0 for a tensor of the delegate's own."""
        return self._numbers.get(id(tensor), 0)

    def tensors(self, numbers: Iterable[int]) -> list[Tensor]:
        """The tensors of numbers."""
        return [self._tensors[number] for number in numbers]

    def kernel(self, number: int) -> Kernel:
        """The kernel of a number.

        Raises:
            DelegateError: there is none any more.
        """
        found = self._kernels.get(number)
        if found is None:
            raise DelegateError("The graph kernel is not there: its delegate's process did not make it.")
        return found

    def kernels(self, numbers: Iterable[int]) -> list[Kernel]:
        """The kernels of numbers."""
        return [self.kernel(number) for number in numbers]

    def keep(self, kernel: Kernel) -> GraphNote:
        """Gives a graph kernel of the delegate a number.

        Raises:
            DelegateBuildError: it reads tensors of its own that are no constants, or is no kernel.
        """
        if not isinstance(kernel, Kernel):
            raise DelegateBuildError(f"A run must be replaced by a Kernel, got {type(kernel).__name__}.")
        inputs = [self._numbers.get(id(t), 0) for t in kernel.inputs]
        for number, tensor in zip(inputs, kernel.inputs, strict=True):
            if not number and not tensor.is_const:
                raise DelegateBuildError(
                    f"Graph kernel '{kernel.name}': input '{tensor.name}' is not there before the kernels it replaces."
                )
        for tensor in kernel.outputs:
            if id(tensor) not in self._numbers:
                raise DelegateBuildError(
                    f"Graph kernel '{kernel.name}': output '{tensor.name}' is not made by the kernels it replaces."
                )
        self._made -= 1
        self._kernels[self._made] = kernel
        outputs = tuple(self._numbers[id(t)] for t in kernel.outputs)
        return GraphNote(self._made, str(kernel.name), str(kernel.type), tuple(filter(None, inputs)), outputs)

    def known(self, kernel: Kernel) -> list[Tensor]:
        """The inputs of a graph kernel that the parent knows, in order."""
        return [t for t in kernel.inputs if id(t) in self._numbers]

    def _tensor(self, note: TensorNote, memory: mmap.mmap | None) -> Tensor:
        contents = note.contents
        data = None
        if isinstance(contents, ArrayPlace):
            assert memory is not None
            data = contents.of(memory, is_read_only=True)
        elif contents is not None:
            data = self._stored(contents)
        return Tensor.describe(
            note.name,
            note.dtype,
            note.shape,
            note.format,
            data=data,
            is_const=note.is_const,
            quant_params=note.quant_params,
        )

    def _stored(self, place: InFile) -> Array:
        """A constant in the model's file."""
        file = self._files.get(place.path)
        if file is None:
            file = self._files[place.path] = _mapped(place.path)
        if place.offset + place.nbytes > len(file):
            raise DelegateError(f"'{place.path}' became shorter since the model was read.")
        array: Array = np.ndarray(place.shape, place.dtype, file, place.offset + place.start, place.strides)
        return array

    def _kernel(self, note: KernelNote) -> Kernel:
        operands = [None if number is None else self._tensors[number] for number in note.operands]
        made = MirrorKernel(note.name, note.type, operands, self.tensors(note.outputs), note.primitive)
        made.quant_type, made.sources = note.quant_type, note.sources
        made.control_flow = None if note.control_flow is None else self._flow(note.control_flow)
        return made

    def _flow(self, note: FlowNote) -> ControlFlow:
        bodies = [self._body(body) for body in note.bodies]
        if note.is_loop:
            condition, body, end = bodies
            return Rounds(condition, body, end, note.count, note.most)
        if_true, if_false = bodies
        return Branches(if_true, if_false)

    def _body(self, note: BodyNote) -> Body:
        kernels = tuple(self.kernels(note.kernels))
        return Body(tuple(self.tensors(note.inputs)), kernels, tuple(self.tensors(note.outputs)))


def _mapped(path: str) -> WeightsFile:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            found = WeightsFile(descriptor, 0, access=mmap.ACCESS_READ)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as e:
        raise DelegateError(f"'{path}' cannot be read: {e}") from e
    found.path = Path(path)
    return found
