"""Devices: what their names mean, which there are, and what is made of several."""

from .info import DeviceInfo
from .names import Auto, Batch, DeviceName, Hetero, Multi, Physical, parse_device
from .registry import DeviceRegistry

__all__ = ["Auto", "Batch", "DeviceInfo", "DeviceName", "DeviceRegistry", "Hetero", "Multi", "Physical", "parse_device"]
