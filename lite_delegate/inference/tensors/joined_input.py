"""JoinedInput: a batch that is joined from one tensor for each item."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from lite_delegate_kernels import Array

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...errors import InputError
from ...ir import DataType, to_numpy
from ...remote import RemoteTensor
from .copies import Copy
from .given_inputs import Given, InputConversion, contents
from .port import Port
from .remote_ports import RemoteInput


@dataclass(frozen=True, slots=True, eq=False)
class JoinedInput:
    """The checked items of a batch.

    Attributes:
        port: of the model.
        items: arrays of the input's element type, each with one item.
        axis: the dimension that counts the items.
    """

    port: Port
    items: tuple[Array, ...]
    axis: int

    def brought(self, copies: list[Copy]) -> Array:
        """The batch, in new memory. Notes the copy in ``copies``."""
        array = np.concatenate(self.items, axis=self.axis)
        copies.append(Copy(self.port, array.nbytes, f"joined from {counted(len(self.items), 'tensor')}"))
        return np.ascontiguousarray(array)


Ready = Array | InputConversion | JoinedInput | RemoteInput
"""The checked value of an input: an array, or an object that makes the array at the start of the run."""


def joined(tensors: Sequence[Given], axis: int, port: Port) -> JoinedInput:
    """The checked items of a batch for an input.

    Raises:
        TypeError: the argument is no list.
        InputError: the input has no such dimension or is of strings, or the number of items, an element type or a shape
            differs.
    """
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(f"{port.where}: expected a list of tensors, but got {type(tensors).__name__}.")
    check_axis(axis, port)
    shape = port.shape
    remote = next((i for i, each in enumerate(tensors) if isinstance(each, RemoteTensor)), None)
    if remote is not None:
        where = f"{port.where}, item {remote}"
        raise InputError(f"{where}: tensors on a device are not joined; give arrays, or one tensor of {list(shape)}.")
    if not tensors or shape[axis] not in (-1, len(tensors)):
        wanted = "1 or more tensors" if shape[axis] == -1 else counted(shape[axis], "tensor")
        raise InputError(f"{port.where}: expected {wanted}, one for each item, got {len(tensors)}.")
    wanted_item = [1 if i == axis else d for i, d in enumerate(shape)]
    items = tuple(_item(i, each, wanted_item, port) for i, each in enumerate(tensors))
    if len({item.shape for item in items}) > 1:
        raise InputError(f"{port.where}: the items have different shapes: {[list(item.shape) for item in items]}.")
    whole = [len(items) if i == axis else d for i, d in enumerate(items[0].shape)]
    if misfit := port.misfit(whole):
        raise InputError(f"{port.where}: {misfit}, joined.")
    return JoinedInput(port, items, axis)


def check_axis(axis: int, port: Port) -> None:
    """Checks the dimension that counts the items.

    Raises:
        InputError: the input has no such dimension or is of strings.
    """
    if port.ranges is None or port.dtype == DataType.STRING or not 0 <= axis < len(port.shape):
        raise InputError(f"{port.where}: {port.dtype.name} {port.shape_text} has no dimension {axis} to join along.")


def _item(number: int, given: Given, wanted: Sequence[int], port: Port) -> Array:
    array, where = contents(given, port), f"{port.where}, item {number}"
    if array.dtype != to_numpy(port.dtype):
        raise InputError(f"{where}: expected {port.dtype.name}, got {array.dtype}.")
    if len(array.shape) != len(wanted) or any(w not in (-1, d) for d, w in zip(array.shape, wanted, strict=True)):
        raise InputError(f"{where}: expected shape {list(wanted)}, got {list(array.shape)}.")
    return array
