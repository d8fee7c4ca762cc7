"""DeviceTensor: a tensor in the memory of a device, as ``mindspore_lite`` has it: ``Tensor(array, device="npu:0")``."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ..basics.warned import warn
from ..errors import DelegateWarning, InputError
from ..ir import DataType, to_numpy
from ..remote import RemoteTensor
from ..tensors.tensor import Array, Tensor
from .context.npu_device import default_context


class DeviceTensor(RemoteTensor):
    """A tensor in the memory of a device; ``Tensor`` with a ``device`` is one.

    ``predict`` of a model that runs there, through the target "npu" of its ``Context``, reads it in place, and leaves
    it there where it is given as an output. Contents come and go by ``set_data_from_numpy``, ``get_data_to_numpy``,
    ``copy_from`` and ``copy_to`` alone, and are copied.

    Args:
        tensor, shape, dtype: as for ``Tensor``; the shape must be known.
        device: "npu", "npu:0" (by number) or "npu:PROFILE".

    Raises:
        TypeError: an argument of the wrong type, or one that disagrees with ``tensor``.
        InputError: (a ValueError) no such device, a shape that is not known, strings, or memory that is to be shared.
        DelegateBuildError: the device has no room.
        DelegateError: the device is not there.
    """

    __slots__ = ("_where",)

    def __init__(
        self,
        tensor: Tensor | Array | None = None,
        shape: Sequence[int] | None = None,
        dtype: DataType | None = None,
        device: str | None = None,
        *,
        shared_memory: bool = False,
    ) -> None:
        if shared_memory:
            raise InputError("shared_memory must be False where a device is given; see RemoteContext.create_tensor.")
        context = default_context("npu" if device is None else device)
        given = Tensor(tensor, shape, dtype)
        made = context.create_tensor(given.dtype, given.shape, given if tensor is not None else None)
        super().__init__(made.context, made.holding, made.dtype)
        self.name, self.format = given.name, given.format
        self._where = "npu:0" if device in (None, "npu") else str(device).lower()

    @property
    def device(self) -> str:
        """Where it is, as it was said: "npu:0"."""
        return self._where

    def get_data_to_numpy(self) -> Array:
        """A copy of the contents, brought from the device."""
        array = np.empty(self.shape, to_numpy(self.dtype))
        self.copy_to(array)
        return array

    def set_data_from_numpy(self, numpy_obj: Array) -> None:
        """Brings an array of the tensor's dtype and size to the device; the tensor's shape stays.

        Raises:
            TypeError: not a numpy array, or a dtype that no tensor has.
            InputError: (a RuntimeError) dtype or number of bytes differ from the tensor's.
        """
        host = Tensor(shape=self.shape, dtype=self.dtype)
        host.name = self.name
        host.set_data_from_numpy(numpy_obj)
        self.copy_from(host)

    def _copied(self) -> Array:
        return self.get_data_to_numpy()

    def __str__(self) -> str:
        return Tensor.__str__(self)


def class_on(device: object) -> type[Tensor]:
    """The class of tensors on a device; one in the host's memory, with a warning, for those that there are none of."""
    if isinstance(device, str) and re.fullmatch(r"ascend(:\d+)?", device, re.IGNORECASE):
        warn(DelegateWarning(f"There is no device '{device}' here: the tensor is in the host's memory; 'npu' is one."))
        return Tensor
    return DeviceTensor
