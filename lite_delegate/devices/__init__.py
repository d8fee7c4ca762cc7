"""Devices: the names of devices, the registry of devices, and virtual devices, which are made of other devices."""

from typing import TYPE_CHECKING

from ..basics.deferred import deferred as _deferred

if TYPE_CHECKING:
    from .registry.info import DeviceInfo
    from .registry.names import Auto, Batch, DeviceName, Hetero, Multi, Physical, parse_device
    from .registry.registry import DeviceRegistry
else:
    __getattr__ = _deferred(
        __name__,
        {
            "DeviceInfo": "registry.info",
            "Auto": "registry.names",
            "Batch": "registry.names",
            "DeviceName": "registry.names",
            "Hetero": "registry.names",
            "Multi": "registry.names",
            "Physical": "registry.names",
            "parse_device": "registry.names",
            "DeviceRegistry": "registry.registry",
        },
    )

__all__ = ["Auto", "Batch", "DeviceInfo", "DeviceName", "DeviceRegistry", "Hetero", "Multi", "Physical", "parse_device"]
