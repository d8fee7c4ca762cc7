"""``lite-delegate devices``: the devices that are available, and why others are not."""

from __future__ import annotations

import json

import click
from tabulate import tabulate

from ..devices import DeviceInfo
from ..devices.core import Core
from .options.options import emit, format_option


@click.command(short_help="Lists devices, also absent ones with the reason.")
@format_option("text", "json")
def devices(format_: str) -> None:
    """Lists the devices for --delegate and Core.compile_model, with a reason for each that is not there."""
    found = Core().devices()
    if format_ == "json":
        emit(json.dumps({"devices": [device.to_dict() for device in found]}, indent=2), None)
    else:
        rows = [(device.name, _state(device), device.source, device.reason) for device in found]
        emit(tabulate(rows, ("device", "state", "from", "reason"), maxcolwidths=[None, None, 40, 60]), None)


def _state(device: DeviceInfo) -> str:
    if not device.available:
        return "absent"
    return "present (simulated)" if device.simulated else "present"
