"""``lite-delegate devices``: the devices that are available, and why others are not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..devices import DeviceInfo
from ..devices.core import Core
from ..reporting.forms import forms
from ..reporting.styles import Style, style_of_verdict
from ..reporting.terminal import table
from .frame.command import command
from .options.options import emit, format_option


def _text(found: Mapping[str, Sequence[DeviceInfo]]) -> str:
    rows = [(device.name, _state(device), device.source, device.reason) for device in found["devices"]]
    styles = {"state": list(map(_style, found["devices"]))}
    return table(("device", "state", "from", "reason"), rows, wrap=("from", "reason"), styles=styles)


def _style(device: DeviceInfo) -> Style | None:
    return style_of_verdict("present" if device.available else "absent")


def _state(device: DeviceInfo) -> str:
    if not device.available:
        return "absent"
    return "present (simulated)" if device.simulated else "present"


FORMS = forms(_text)


@command()
@format_option(*FORMS)
def devices(format_: str) -> None:
    """Lists the devices for --delegate and Core.compile_model, with a reason for each that is not there."""
    emit(FORMS[format_]({"devices": Core().devices()}), None)
