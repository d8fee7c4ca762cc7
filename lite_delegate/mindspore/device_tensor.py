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
    """A tensor in the memory of a device, made by ``Tensor`` with a ``device``.

    ``predict`` of a model that runs on the device, through the target "npu" of its ``Context``, reads the tensor in
    place, and writes an output tensor in place. Only ``set_data_from_numpy``, ``get_data_to_numpy``, ``copy_from`` and
    ``copy_to`` transfer contents, and they copy.

    Args:
        tensor, shape, dtype: as for ``Tensor``; the shape must be known.
        device: "npu", "npu:0" (by number) or "npu:PROFILE".

    Raises:
        TypeError: an argument has the wrong type, or disagrees with ``tensor``.
        InputError: (a ValueError) there is no such device, the shape is not known, the dtype is a string type, or the
            memory is to be shared.
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
        """The name of the device, as it was given: "npu:0"."""
        return self._where

    def get_data_to_numpy(self) -> Array:
        """A copy of the contents, brought from the device."""
        array = np.empty(self.shape, to_numpy(self.dtype))
        self.copy_to(array)
        return array

    def set_data_from_numpy(self, numpy_obj: Array) -> None:
        """Brings an array of the tensor's dtype and size to the device; the tensor's shape stays.

        Raises:
            TypeError: the object is no numpy array, or no tensor has its dtype.
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
    """The class of tensors on a device; for Ascend, which is never there, host tensors, with a warning."""
    if isinstance(device, str) and re.fullmatch(r"ascend(:\d+)?", device, re.IGNORECASE):
        text = f"There is no device '{device}' here: the tensor is in the host's memory; the device 'npu' is supported."
        warn(DelegateWarning(text))
        return Tensor
    return DeviceTensor
