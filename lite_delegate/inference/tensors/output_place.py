"""Outputs of a request: where they are kept between runs, and how they get there."""

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
    """A tensor of a request for an output. It has no contents before the first run that was done."""

    __slots__ = ()

    @property
    def data(self) -> Array:
        """The contents, which the next run that is done changes.

        Raises:
            RequestError: no run was done yet.
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
        """Takes an array as the contents, and its shape."""
        self._data, self._shape = array, array.shape


class OutputPlace:
    """Where a request keeps one output: in memory of its own, or in a tensor of the user.

    Args:
        port: the output.
    """

    def __init__(self, port: Port) -> None:
        self.port = port
        self.tensor: Tensor = _own(port)
        self.nbytes = 0
        """That the last run which was done wrote."""
        self._room: Array | None = None  # of a tensor that is the request's own
        self._memory: Array | None = None  # of one of the user, all of it

    @property
    def is_own(self) -> bool:
        """Whether the memory is the request's own."""
        return isinstance(self.tensor, OutputTensor)

    def set(self, tensor: Tensor) -> None:
        """Lets the output be written to a tensor of the user.

        Raises:
            InputError: another element type or shape, or memory that cannot be written to.
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
        """Takes an array as the memory of the request's own tensor, with what a run gave."""
        assert isinstance(self.tensor, OutputTensor)
        self.tensor.hold(array)
        self._room, self.nbytes = array, array.nbytes

    def place(self, result: Array) -> Array:
        """The memory for a result; it may still hold the one before. Nothing of the tensor changes.

        Raises:
            ShapeError: a tensor of the user is too small, and its memory is not its own.
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
        """Writes a result to the memory that ``place`` gave, which is the tensor's from now on."""
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
        """What a tensor of the user holds; None where it holds nothing and its shape is not known."""
        tensor = self.tensor
        return tensor.data if tensor.has_data or tensor.has_known_shape else None

    def _all_of(self, now: Array) -> Array:
        """The memory that there is for the output: more than the tensor holds, after an output that was smaller."""
        memory = self._memory
        return now if memory is None or not np.may_share_memory(memory, now) else memory


def _own(port: Port) -> OutputTensor:
    shape = None if port.ranges is None else tuple(port.shape)
    return OutputTensor.describe(port.name, port.dtype, shape, port.format, quant_params=port.quant_params)


def check_apart(places: Sequence[OutputPlace]) -> None:
    """Raises InputError where two outputs are to be written to the same memory."""
    given = [(place, held) for place in places if not place.is_own and (held := _held(place.tensor)) is not None]
    for position, (place, mine) in enumerate(given):
        for other, held in given[:position]:
            if np.shares_memory(mine, held):
                raise InputError(f"{place.port.where}: its tensor shares memory with that of {other.port.where}.")


def _held(tensor: Tensor) -> Array | None:
    """The memory that a tensor of the user has, on a device too."""
    return tensor.memory if isinstance(tensor, RemoteTensor) else tensor.held
