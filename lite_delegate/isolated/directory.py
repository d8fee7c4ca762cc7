"""Directory: the numbers of the kernels and tensors that a delegate's process knows."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from threading import RLock
from weakref import WeakKeyDictionary, finalize

from ..delegate import Branches, Kernel, Rounds
from ..delegate.flow import ControlFlow
from ..delegate.kept_results import result_is_kept
from ..delegate.open_shapes import open_origin
from ..delegate.samples import current_samples
from ..delegate.wishes import current_wishes
from ..ir.mapped import is_current, stored_place
from ..tensors.tensor import Array, Tensor
from .passing.memory import ArrayPlace, new_memory, places
from .passing.messages import BodyNote, FlowNote, InFile, KernelNote, News, Surroundings, TensorNote


class Directory:
    """The numbers of the kernels and tensors that one process knows, from 1 on.

    A kernel is known as long as it lives, a tensor as long as a kernel that has it. Safe for several threads.
    """

    def __init__(self) -> None:
        self._kernels: WeakKeyDictionary[Kernel, int] = WeakKeyDictionary()
        self._tensors: dict[int, Tensor] = {}
        self._numbers: dict[int, int] = {}
        self._uses: dict[int, int] = {}
        self._of: dict[int, tuple[int, ...]] = {}
        self._gone: deque[int] = deque()
        self._origins: dict[int, tuple[object, int]] = {}
        self._last = 0
        self._lock = RLock()
        self._new_tensors: list[tuple[int, Tensor]] = []
        self._new_kernels: list[KernelNote] = []

    def kernel(self, kernel: Kernel) -> int:
        """The number of a kernel of the model."""
        with self._lock:
            return self._kernel(kernel)

    def _kernel(self, kernel: Kernel) -> int:
        found = self._kernels.get(kernel)
        if found is not None:
            return found
        flow = kernel.control_flow
        number = self._next()
        operands = tuple(None if t is None else self._tensor(t) for t in kernel.operands)
        outputs = tuple(map(self._tensor, kernel.outputs))
        inner: list[int] = []
        note = KernelNote(
            number,
            kernel.name,
            kernel.type,
            operands,
            outputs,
            kernel.primitive,
            kernel.quant_type,
            kernel.sources,
            None if flow is None else self._flow(flow, inner),
        )
        self._new_kernels.append(note)
        self.hold(number, kernel, (*(n for n in operands if n is not None), *outputs, *inner))
        self._kernels[kernel] = number
        return number

    def loose(self, tensors: Iterable[Tensor]) -> tuple[int, ...]:
        """The numbers of tensors that are to be held next."""
        with self._lock:
            return tuple(map(self._tensor, tensors))

    def tensor_of(self, number: int) -> Tensor | None:
        """The tensor of a number; None for a tensor of the child's own."""
        return self._tensors.get(number)

    def hold(self, owner: int, kernel: Kernel, numbers: Sequence[int]) -> None:
        """Keeps tensors as long as a kernel lives, and the kernel's number."""
        with self._lock:
            for number in numbers:
                self._uses[number] = self._uses.get(number, 0) + 1
            self._of[owner] = (*self._of.get(owner, ()), *numbers)
        finalize(kernel, self._gone.append, owner).atexit = False

    def take_news(self) -> tuple[News, int | None]:
        """The news since the last time, and the descriptor of the memory with contents, which the caller closes.

        Raises:
            OSError: there is not enough memory for the contents.
        """
        with self._lock:
            return self._news()

    def _news(self) -> tuple[News, int | None]:
        gone_tensors, gone_kernels = self._forget()
        constants = [held for _, tensor in self._new_tensors if (held := _contents(tensor)) is not None]
        large = [array for array in constants if _file(array) is None]
        found, size = places((array.dtype.str, array.shape) for array in large)
        descriptor = None
        if large:
            descriptor, memory = new_memory(size)
            for place, array in zip(found, large, strict=True):
                place.of(memory)[...] = array
        rest = iter(found)
        notes = tuple(_note(number, tensor, rest) for number, tensor in self._new_tensors)
        news = News(notes, tuple(self._new_kernels), gone_tensors, gone_kernels)
        self._new_tensors, self._new_kernels = [], []
        return news, descriptor

    def around(self) -> Surroundings:
        """The surroundings of the present call."""
        origin = open_origin()
        number = 0
        if origin is not None:
            _, number = self._origins.setdefault(id(origin), (origin, len(self._origins) + 1))
        samples = current_samples()
        count = 0 if samples is None else samples.count
        return Surroundings(current_wishes(), number, result_is_kept(), count)

    def _next(self) -> int:
        self._last += 1
        return self._last

    def _tensor(self, tensor: Tensor) -> int:
        number = self._numbers.get(id(tensor))
        if number is None:
            number = self._numbers[id(tensor)] = self._next()
            self._tensors[number] = tensor
            self._new_tensors.append((number, tensor))
        return number

    def _flow(self, flow: ControlFlow, inner: list[int]) -> FlowNote:
        """The note of a loop or a choice; ``inner`` gets the numbers of the tensors of its bodies."""
        assert isinstance(flow, (Branches, Rounds))
        bodies = []
        for body in flow.bodies:
            inputs, outputs = self.loose(body.inputs), self.loose(body.outputs)
            inner += (*inputs, *outputs)
            bodies.append(BodyNote(inputs, tuple(map(self.kernel, body.kernels)), outputs))
        if isinstance(flow, Rounds):
            return FlowNote(True, tuple(bodies), flow.count, flow.most)
        return FlowNote(False, tuple(bodies))

    def _forget(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        tensors: list[int] = []
        kernels: list[int] = []
        while self._gone:
            owner = self._gone.popleft()
            if owner not in self._of:
                continue
            kernels.append(owner)
            for number in self._of.pop(owner):
                self._uses[number] -= 1
                if not self._uses[number]:
                    del self._uses[number], self._numbers[id(self._tensors.pop(number))]
                    tensors.append(number)
        gone = {*tensors, *kernels}
        self._new_tensors = [each for each in self._new_tensors if each[0] not in gone]
        self._new_kernels = [each for each in self._new_kernels if each.number not in gone]
        return tuple(tensors), tuple(kernels)


def _note(number: int, tensor: Tensor, found: Iterator[ArrayPlace]) -> TensorNote:
    held = _contents(tensor)
    contents = None if held is None else _file(held) or next(found)
    extents, params = tensor.extents, tensor.quant_params
    return TensorNote(number, tensor.name, tensor.dtype, extents, tensor.format, tensor.is_const, params, contents)


def _contents(tensor: Tensor) -> Array | None:
    """The contents of a constant, as its file has them; None for lists of tensors, too."""
    held = tensor.held if tensor.is_const else None
    return None if held is None or held.dtype.hasobject else held


def _file(array: Array) -> InFile | None:
    """The place of a constant in a file that is still there as it was; None: elsewhere."""
    found = stored_place(array)
    if found is None or not is_current(array):
        return None
    place, start = found
    return InFile(
        os.path.abspath(place.path), place.offset, place.nbytes, start, array.dtype.str, array.shape, array.strides
    )
