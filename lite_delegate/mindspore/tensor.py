"""Tensor as users have it: ``Tensor(array, device="npu:0")`` is a ``DeviceTensor``."""

from __future__ import annotations

from ..tensors.tensor import Tensor, with_devices

__all__ = ["Tensor"]


def _class_on(device: object) -> type[Tensor]:
    """As ``device_tensor.class_on``."""
    from .device_tensor import class_on  # who has no tensor on a device does without what it imports

    return class_on(device)


with_devices(_class_on)
