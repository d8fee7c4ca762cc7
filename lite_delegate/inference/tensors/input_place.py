"""InputPlace: the tensor, or the tensors, that feed one input of a request."""

from __future__ import annotations

from collections.abc import Sequence

from lite_delegate_kernels import Array

from ...errors import InputError
from ...ir import from_numpy
from ...tensors.tensor import Tensor
from .given_inputs import Given, checked, contents
from .joined_input import Ready, check_axis, joined
from .port import Port


class InputPlace:
    """The source of one input: a tensor of the request, a tensor of the user, or several joined tensors.

    Args:
        port: the input.
    """

    def __init__(self, port: Port) -> None:
        self.port = port
        shape = None if port.ranges is None else tuple(port.shape)
        self.tensor = Tensor.describe(port.name, port.dtype, shape, port.format, quant_params=port.quant_params)
        self.is_own = True
        self.seen: Array | None = None
        """The checked array, which is read without a new check while the tensor holds it."""
        self._items: tuple[Sequence[Given], int] | None = None

    @property
    def is_set(self) -> bool:
        """Whether the input has a value."""
        return self._items is not None or not self.is_own or self.tensor.has_data

    def set(self, tensor: Tensor) -> None:
        """Makes a tensor of the user the source.

        Raises:
            InputError: the element type or the shape differs.
        """
        if tensor.has_known_shape:
            checked(tensor, self.port)
        self.tensor, self.is_own, self._items, self.seen = tensor, False, None, None

    def set_joined(self, tensors: Sequence[Given], axis: int) -> None:
        """Makes several joined tensors the source; see ``InferRequest.set_tensors``."""
        check_axis(axis, self.port)
        if isinstance(tensors, (list, tuple)) and len(tensors) == 1:
            only = tensors[0]
            self.set(only if isinstance(only, Tensor) else wrapped(contents(only, self.port)))
            return
        joined(tensors, axis, self.port)
        self._items, self.seen = (tuple(tensors), axis), None

    def checked(self) -> Ready:
        """The checked value of the source, which may have changed since it was set.

        Raises:
            InputError: the value does not fit any more.
        """
        if self._items is not None:
            return joined(*self._items, self.port)
        tensor = self.tensor
        if not self.is_own and not tensor.has_known_shape:
            raise InputError(f"{self.port.where}: the tensor that was set has no data, and its shape is not known.")
        found = checked(tensor, self.port)
        self.seen = found if found is tensor.held else None
        return found


def wrapped(array: Array) -> Tensor:
    """A tensor around the memory of an array.

    Raises:
        TypeError: no tensor has the array's dtype.
    """
    try:
        dtype = from_numpy(array.dtype)
    except ValueError as e:
        raise TypeError(str(e)) from e
    return Tensor.describe("", dtype, array.shape, data=array, borrows=True)
