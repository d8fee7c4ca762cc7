"""Devices: what their names mean, which there are, and what is made of several."""

from typing import TYPE_CHECKING

from ..deferred import deferred as _deferred

if TYPE_CHECKING:
    from .info import DeviceInfo
    from .names import Auto, Batch, DeviceName, Hetero, Multi, Physical, parse_device
    from .registry import DeviceRegistry
else:
    __getattr__ = _deferred(
        __name__,
        {
            "DeviceInfo": "info",
            "Auto": "names",
            "Batch": "names",
            "DeviceName": "names",
            "Hetero": "names",
            "Multi": "names",
            "Physical": "names",
            "parse_device": "names",
            "DeviceRegistry": "registry",
        },
    )

__all__ = ["Auto", "Batch", "DeviceInfo", "DeviceName", "DeviceRegistry", "Hetero", "Multi", "Physical", "parse_device"]
