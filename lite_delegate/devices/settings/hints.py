"""Hints of a call for a virtual device: a hint is for each part that has the property."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import DelegateError
from ...properties import Choice, parsed
from ..registry.names import Auto, Batch, DeviceName, Multi, Physical
from .auto_choice import candidates
from .configured_devices import ConfiguredDevices
from .exactness import MODE, MODES
from .part_options import parts_of
from .virtual_properties import DEVICE_PROPERTIES, STARTUP_FALLBACK

HINT = "PERFORMANCE_HINT"
HINTS = (HINT, "PERFORMANCE_HINT_NUM_REQUESTS", MODE)
CUMULATIVE = "CUMULATIVE_THROUGHPUT"


def with_hints(
    device: DeviceName, call: Mapping[str, object], devices: ConfiguredDevices
) -> tuple[DeviceName, dict[str, object]]:
    """A device and the properties of a call, whose hints are nested for the parts that have them.

    AUTO with the hint CUMULATIVE_THROUGHPUT becomes MULTI of its devices, with THROUGHPUT for each; a device that is
    not there or does not take the model is left out. A hint that no part has stays flat, and the later check of the
    call reports it.

    Args:
        device: the device to compile for.
        call: the properties of the call, by name.
        devices: the devices of the core, with their properties.

    Raises:
        InputError: AUTO lists a device that is not registered.
    """
    found = {str(name).upper() if str(name).upper() in HINTS else name: value for name, value in call.items()}
    given = {name: found[name] for name in HINTS if name in found}
    if not given or isinstance(device, Physical | Batch):
        return device, dict(call)
    if isinstance(device, Auto) and str(given.get(HINT)).upper() == CUMULATIVE:
        device = Multi(tuple(candidates(device, devices.registry, devices.why_absent)))
        given[HINT] = "THROUGHPUT"
        found = {STARTUP_FALLBACK: True, **found}
    mine = {
        str(part): {name: given[name] for name in given if name in names}
        for part in parts_of(device, devices.registry)
        if (names := _names_of(part, devices))
    }
    taken = {name for each in mine.values() for name in each} | ({MODE} if isinstance(device, Auto) else set())
    nested = next((each for name, each in found.items() if str(name).upper() == DEVICE_PROPERTIES), {})
    if not taken.intersection(given) or not isinstance(nested, Mapping):
        return device, found
    left = {name: each for name, each in found.items() if name not in taken and str(name).upper() != DEVICE_PROPERTIES}
    theirs = {
        text: {**mine.get(text, {}), **each} if isinstance(each, Mapping) else each for text, each in nested.items()
    }
    return device, {**left, DEVICE_PROPERTIES: {**mine, **theirs}}


def mode_for(device: DeviceName, call: Mapping[str, object]) -> str:
    """EXECUTION_MODE_HINT of a call for AUTO, which chooses a device by the mode; for any other device PERFORMANCE.

    Raises:
        PropertyError: EXECUTION_MODE_HINT has no such value.
    """
    given = [value for name, value in call.items() if str(name).upper() == MODE]
    if not given or not isinstance(device, Auto):
        return MODES[0]
    return str(parsed(MODE, Choice(MODES), given[-1]))


def _names_of(part: Physical, devices: ConfiguredDevices) -> set[str]:
    """The hints that a part has; none where the part is not there, which compiling for it reports."""
    try:
        return {spec.name for spec in devices.specs(part) if spec.name in HINTS}
    except DelegateError:
        return set()
