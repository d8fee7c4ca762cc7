"""RemoteContext: makes tensors in the memory of one device."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any
from weakref import WeakSet

import numpy as np

from ..basics.counted import counted
from ..basics.words.one_line import OneLine
from ..errors import InputError
from ..ir import DataType, from_numpy, to_numpy
from ..tensors.tensor import Tensor
from .account import DeviceAccount
from .memory import Holding, RemoteMemory
from .tensor import RemoteTensor

NO_PARAMETERS: Mapping[str, object] = MappingProxyType({})
PAGE = 4096


class RemoteContext(DeviceAccount, OneLine):
    """Makes tensors in the memory of one device. Safe for several threads.

    ``Core.default_context`` and ``Core.create_context`` give one. A delegate that offers contexts makes them in
    ``Delegate.remote_context``. The CPU has one, too, in plain memory, so that a script runs on both.

    Args:
        device_name: as users call the device.
        memory: of the device.
        parameters: what it was made with, and what else is to be known of it.
    """

    def __init__(
        self, device_name: str, memory: RemoteMemory, parameters: Mapping[str, object] = NO_PARAMETERS
    ) -> None:
        super().__init__(device_name, memory)
        self._parameters = dict(parameters)
        self._holdings: WeakSet[Holding] = WeakSet()

    def get_params(self) -> dict[str, object]:
        """The parameters that the context was made with, and further facts about it."""
        return dict(self._parameters)

    def with_params(self, parameters: Mapping[str, object]) -> RemoteContext:
        """This context, which was made with those."""
        self._parameters = {**parameters, **self._parameters}
        return self

    @property
    def allocated_bytes(self) -> int:
        """Bytes of the device's memory that tensors of this context take."""
        return sum(each.nbytes for each in list(self._holdings) if each.is_held)

    def create_tensor(
        self,
        dtype: DataType | np.dtype[Any] | type,
        shape: Sequence[int],
        data: Any = None,
        *,
        file: str | os.PathLike[str] | None = None,
        shared: Any = None,
        offset: int = 0,
    ) -> RemoteTensor:
        """A tensor in the device's memory, zeros where nothing is given.

        With ``file`` or ``shared`` nothing is copied: the device reads, and writes where that is possible, the memory
        that is given, so no memory of the device is taken.

        Args:
            dtype: the element type.
            shape: the dimensions.
            data: what it holds: an array or a tensor of the same type and shape.
            file: of the contents, which are read where they are needed (memory-mapped); for inputs only.
            shared: the name of a ``multiprocessing.shared_memory.SharedMemory``; or an object with a buffer (one, its
                ``buf``, ``bytearray``, ``mmap``, ...), with DLPack, or a capsule of it.
            offset: of the contents in the file, or in a buffer, in bytes.

        Raises:
            DelegateBuildError: the device has no room; the message has what is needed and what is free.
            DeviceLost, DelegateExecuteError: the device is lost, or closed.
            InputError: no such type or shape, contents that do not fit, or no such file or memory.
            TypeError: no memory that can be shared.
        """
        element, dims = _element(dtype), _dims(shape)
        if sum(each is not None for each in (data, file, shared)) > 1:
            raise InputError("create_tensor: expected one of data, file and shared, got more.")
        where = f"The remote tensor {element.name} {list(dims)} on {self.device_name}"
        if isinstance(offset, bool) or not isinstance(offset, int):
            raise TypeError(f"offset must be int, but got {type(offset).__name__}.")
        if file is None and shared is None:
            return self._new(element, dims, data, where)
        from .backing import mapped_file, shared_array  # few need it

        wanted = to_numpy(element)
        array = shared_array(shared, wanted, dims, offset) if file is None else mapped_file(file, wanted, dims, offset)
        return self._held(Holding(self.memory, lambda: array, 0, where), element)

    def _new(self, dtype: DataType, shape: tuple[int, ...], data: Any, where: str) -> RemoteTensor:
        wanted = to_numpy(dtype)
        nbytes = math.prod(shape) * wanted.itemsize
        tensor = self._held(Holding(self.memory, lambda: np.zeros(shape, wanted), nbytes, where), dtype)
        if data is not None:
            tensor.copy_from(data)
        return tensor

    def _held(self, holding: Holding, dtype: DataType) -> RemoteTensor:
        self._holdings.add(holding)
        return RemoteTensor(self, holding, dtype)

    def create_host_tensor(self, dtype: DataType | np.dtype[Any] | type, shape: Sequence[int]) -> Tensor:
        """A tensor in the host's memory, zeros, that a run takes without a copy: aligned to pages."""
        element, dims = _element(dtype), _dims(shape)
        wanted = to_numpy(element)
        nbytes = math.prod(dims) * wanted.itemsize
        memory = np.zeros(nbytes + PAGE, np.uint8)
        start = -memory.ctypes.data % PAGE
        array = memory[start : start + nbytes].view(wanted).reshape(dims)
        return Tensor.describe("", element, dims, data=array, borrows=True)

    def _line(self) -> str:
        return f"{self.device_name}, {counted(self.allocated_bytes, 'byte')}"


def _element(dtype: DataType | np.dtype[Any] | type) -> DataType:
    try:
        found = dtype if isinstance(dtype, DataType) else from_numpy(np.dtype(dtype))
        to_numpy(found)
    except (TypeError, ValueError, KeyError) as e:
        raise InputError(f"create_tensor: no device has elements of type {dtype!r}.") from e
    if found == DataType.STRING:
        raise InputError("create_tensor: no device has strings.")
    return found


def _dims(shape: Sequence[int]) -> tuple[int, ...]:
    if not isinstance(shape, (list, tuple)) or not all(isinstance(d, (int, np.integer)) and d >= 0 for d in shape):
        raise InputError(f"create_tensor: expected a shape of known dimensions, got {shape!r}.")
    return tuple(map(int, shape))
