"""The device that a plugin's provider runs on, out of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....errors import DelegateUnavailable

PREFERRED = ("NPU", "GPU", "CPU")
"""Kinds of hardware in the order in which they are chosen where the user names none."""


def hardware_of(device: Any) -> str:
    """The kind of hardware of an ``OrtEpDevice``: CPU, GPU or NPU."""
    return str(device.device.type).rpartition(".")[2]


def chosen(devices: Sequence[Any], provider: str, wanted: str) -> Any:
    """One of a provider's devices.

    Args:
        devices: the devices, at least one.
        provider: the provider, for messages.
        wanted: NPU, GPU or CPU, or the position of a device, counted from 0; "": the first of ``PREFERRED``.

    Raises:
        DelegateUnavailable: there is no such device.
    """
    kinds = [hardware_of(each) for each in devices]
    if wanted.isdecimal() and int(wanted) < len(devices):
        return devices[int(wanted)]
    order = (wanted.upper(),) if wanted else PREFERRED
    place = next((kinds.index(kind) for kind in order if kind in kinds), None)
    if place is not None:
        return devices[place]
    if not wanted:
        return devices[0]
    there = ", ".join(f"{number} ({kind})" for number, kind in enumerate(kinds))
    raise DelegateUnavailable(f"'{provider}' has no device {wanted} here; there are {there}.")
