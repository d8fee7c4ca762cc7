"""OutputPlace: the memory of one output of a request, from run to run."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from lite_delegate_kernels import Array

from ...basics.counted import counted
from ...errors import InputError, RequestError, ShapeError
from ...ir import DataType
from ...remote import RemoteTensor
from ...runtime.execution.inputs import fits
from ...tensors.tensor import Tensor
from .port import Port
from .remote_ports import check_fits

NOTHING_YET = "{}: nothing has run yet, so there is no output to read."


class OutputTensor(Tensor):
    """A request's own tensor for an output, without contents before the first successful run."""

    __slots__ = ()

    @property
    def data(self) -> Array:
        """The contents, which the next successful run changes.

        Raises:
            RequestError: no run has succeeded yet.
        """
        if self._data is None:
            raise RequestError(NOTHING_YET.format(f"Output '{self.name}'"))
        return self._data

    @data.setter
    def data(self, array: Array) -> None:
        raise RequestError(f"Output '{self.name}': the request writes to it; give a tensor of your own to set_tensor.")

    def get_data_to_numpy(self) -> Array:
        """The contents; see ``data``."""
        return self.data

    def hold(self, array: Array) -> None:
        """Makes an array the contents of the tensor."""
        self._data, self._shape = array, array.shape


class OutputPlace:
    """The place of one output: memory of the request, or a tensor of the user.

    Args:
        port: the output.
    """

    def __init__(self, port: Port) -> None:
        self.port = port
        self.tensor: Tensor = _own(port)
        self.nbytes = 0
        """The bytes that the last successful run wrote."""
        self._room: Array | None = None  # of the request's own tensor
        self._memory: Array | None = None  # all memory of the user's tensor

    @property
    def is_own(self) -> bool:
        """Whether the memory is the request's own."""
        return isinstance(self.tensor, OutputTensor)

    def set(self, tensor: Tensor) -> None:
        """Makes a tensor of the user the place of the output.

        Raises:
            InputError: the element type or the shape differs, or the memory is read-only.
        """
        port = self.port
        if tensor.dtype != port.dtype:
            raise InputError(f"{port.where}: expected {port.dtype.name}, got {tensor.dtype.name}.")
        if port.has_known_shape and port.dtype != DataType.STRING and not fits(tensor.shape, port.shape):
            raise InputError(f"{port.where}: expected shape {port.shape}, got {tensor.shape}.")
        if isinstance(tensor, RemoteTensor):
            check_fits(tensor, port)
        held = _held(tensor)
        if held is not None and not held.flags.writeable:
            raise InputError(f"{port.where}: the tensor's memory can only be read.")
        self.tensor, self._memory, self._room = tensor, None, None

    def take(self, array: Array) -> None:
        """Makes the array of a result the memory of the request's own tensor."""
        assert isinstance(self.tensor, OutputTensor)
        self.tensor.hold(array)
        self._room, self.nbytes = array, array.nbytes

    def place(self, result: Array) -> Array:
        """The memory for a result, which may still hold the result before. The tensor does not change.

        Raises:
            ShapeError: a tensor of the user is too small, and does not own its memory.
        """
        tensor, room = self.tensor, self._room
        if room is not None and room.shape == result.shape and room.dtype == result.dtype:
            return room
        if isinstance(tensor, OutputTensor):
            return np.empty(result.shape, result.dtype)
        if isinstance(tensor, RemoteTensor):
            return tensor.memory
        now = self._now()
        if now is not None and now.dtype == result.dtype:
            if now.shape == result.shape:
                return now
            memory = self._all_of(now)
            if memory.size >= result.size and memory.flags.c_contiguous:
                return memory.reshape(-1)[: result.size].reshape(result.shape)
        if not tensor.owns_memory:
            shape = tensor.shape if now is None else list(self._all_of(now).shape)
            raise ShapeError(
                f"{self.port.where}: the run gave {counted(result.nbytes, 'byte')} of shape "
                f"{list(result.shape)}, the tensor that "
                f"was set has {counted(prod(shape) * result.itemsize, 'byte')} of shape {shape}, which "
                "are not its own; set a "
                "larger one, or one that may grow (lite_delegate.Tensor)."
            )
        return np.empty(result.shape, result.dtype)

    def commit(self, placed: Array, result: Array) -> None:
        """Writes a result to the memory of ``place``, which becomes the memory of the tensor."""
        placed[...] = result
        tensor, is_held = self.tensor, self.tensor.held is placed
        if is_held and placed is self._room:
            return
        self.nbytes = placed.nbytes
        if is_held:
            return
        if isinstance(tensor, OutputTensor):
            tensor.hold(placed)
            self._room = placed
        elif not isinstance(tensor, RemoteTensor):
            self._memory = self._all_of(tensor.data)
            tensor.data = placed

    def _now(self) -> Array | None:
        """The contents of the user's tensor; None for a tensor without contents and with unknown shape."""
        tensor = self.tensor
        return tensor.data if tensor.has_data or tensor.has_known_shape else None

    def _all_of(self, now: Array) -> Array:
        """All memory of the output, which after a smaller output is more than the tensor's contents."""
        memory = self._memory
        return now if memory is None or not np.may_share_memory(memory, now) else memory


def _own(port: Port) -> OutputTensor:
    shape = None if port.ranges is None else tuple(port.shape)
    return OutputTensor.describe(port.name, port.dtype, shape, port.format, quant_params=port.quant_params)


def check_apart(places: Sequence[OutputPlace]) -> None:
    """Raises InputError if two outputs share memory."""
    given = [(place, held) for place in places if not place.is_own and (held := _held(place.tensor)) is not None]
    for position, (place, mine) in enumerate(given):
        for other, held in given[:position]:
            if np.shares_memory(mine, held):
                raise InputError(f"{place.port.where}: its tensor shares memory with that of {other.port.where}.")


def _held(tensor: Tensor) -> Array | None:
    """The memory of a user's tensor, on the host or on a device."""
    return tensor.memory if isinstance(tensor, RemoteTensor) else tensor.held
