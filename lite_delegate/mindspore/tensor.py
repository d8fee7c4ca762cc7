"""Tensor of the ``mindspore_lite`` interface: ``Tensor(array, device="npu:0")`` is a ``DeviceTensor``."""

from __future__ import annotations

from ..tensors.tensor import Tensor, with_devices

__all__ = ["Tensor"]


def _class_on(device: object) -> type[Tensor]:
    """As ``device_tensor.class_on``."""
    from .device_tensor import class_on  # imported with the first tensor on a device

    return class_on(device)


with_devices(_class_on)
