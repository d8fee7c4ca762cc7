"""Hints of a call for a device that is made of others: they are meant for each part that has them."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import DelegateError
from ...properties import Choice, parsed
from ..registry.names import Auto, Batch, DeviceName, Multi, Physical
from .choosing import candidates
from .configured import ConfiguredDevices
from .exactness import MODE, MODES
from .part_options import DEVICE_PROPERTIES, STARTUP_FALLBACK, parts_of

HINT = "PERFORMANCE_HINT"
HINTS = (HINT, "PERFORMANCE_HINT_NUM_REQUESTS", MODE)
CUMULATIVE = "CUMULATIVE_THROUGHPUT"


def with_hints(
    device: DeviceName, call: Mapping[str, object], devices: ConfiguredDevices
) -> tuple[DeviceName, dict[str, object]]:
    """A device and the properties of a call, whose hints are nested for the parts that have them.

    AUTO with the hint CUMULATIVE_THROUGHPUT is MULTI of its devices, with THROUGHPUT for each; those that are not there
    or do not take the model are left out. What no part has stays as it was, for who checks the call to say so.

    Args:
        device: that is compiled for.
        call: properties by name.
        devices: that there are.

    Raises:
        InputError: AUTO lists a device that there is not.
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
    """EXECUTION_MODE_HINT of a call for AUTO, which chooses by it whatever its devices have; others' say is theirs.

    Raises:
        PropertyError: it has no such value.
    """
    given = [value for name, value in call.items() if str(name).upper() == MODE]
    if not given or not isinstance(device, Auto):
        return MODES[0]
    return str(parsed(MODE, Choice(MODES), given[-1]))


def _names_of(part: Physical, devices: ConfiguredDevices) -> set[str]:
    """The hints that a part has; none where it is not there, which is for who compiles for it to say."""
    try:
        return {spec.name for spec in devices.specs(part) if spec.name in HINTS}
    except DelegateError:
        return set()
