"""Properties of one call, taken apart: which are of which device."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import InputError
from ..inference.cpu_properties import CPU_REGISTRY
from ..inference.runtime_properties import not_of_runtime, of_runtime
from .names import Auto, Batch, DeviceName, Multi, Physical, parse_device
from .registry import DeviceRegistry

DEVICE_PROPERTIES = "DEVICE_PROPERTIES"
STARTUP_FALLBACK = "ENABLE_STARTUP_FALLBACK"
RUNTIME_FALLBACK = "ENABLE_RUNTIME_FALLBACK"
SCHEDULE_POLICY = "SCHEDULE_POLICY"
BATCH_TIMEOUT = "AUTO_BATCH_TIMEOUT"
_OWN: dict[type, tuple[str, ...]] = {
    Auto: (RUNTIME_FALLBACK,),
    Multi: (RUNTIME_FALLBACK, SCHEDULE_POLICY),
    Batch: (BATCH_TIMEOUT,),
}
"""What is a property of devices of a kind that is made of others, and of none of these."""
_WORDS = {"YES": True, "NO": False, True: True, False: False}
PartOptions = dict[tuple[str, str], dict[str, object]]
"""Options by ``Physical.key``."""


def own_of(device: DeviceName) -> tuple[str, ...]:
    """The names of what is a property of the device as it is made of others, and not of these."""
    return () if isinstance(device, Physical) else (STARTUP_FALLBACK, *_OWN.get(type(device), ()))


def part_options(device: DeviceName, properties: Mapping[str, object], registry: DeviceRegistry) -> PartOptions:
    """The options of each device, nested ones over flat ones; those of devices that take no part are checked, too.

    Raises:
        InputError: flat options for a device that is made of others, or nested ones that are none or of no device.
    """
    flat = {str(name).upper(): value for name, value in not_of_runtime(properties).items()}
    nested = flat.pop(DEVICE_PROPERTIES, {})
    flat.pop(STARTUP_FALLBACK, None)
    for own in _OWN.get(type(device), ()):
        flat.pop(own, None)
    if isinstance(device, Batch):
        device = device.part
    if flat and not isinstance(device, Physical):
        name = next(iter(flat))
        raise InputError(
            f"Device '{device}' is made of others: say whose {name} is meant, "
            f"{{'{DEVICE_PROPERTIES}': {{'NPU': {{'{name}': ...}}}}}}."
        )
    found: PartOptions = {device.key: flat} if isinstance(device, Physical) else {}
    if not isinstance(nested, Mapping):
        raise InputError(f"{DEVICE_PROPERTIES} must map names of devices to their properties, got {nested!r}.")
    for text, options in nested.items():
        part = parse_device(text)
        if not isinstance(part, Physical) or not isinstance(options, Mapping):
            raise InputError(f"{DEVICE_PROPERTIES} must map a device to its properties, got '{text}': {options!r}.")
        _check_nested(device, text, options)
        options = not_of_runtime(options)
        found[part.key] = {**found.get(part.key, {}), **{str(name).upper(): each for name, each in options.items()}}
        if not part.is_cpu:
            registry.delegate(part, found[part.key])
        else:
            CPU_REGISTRY.checked(options)
    return found


def _check_nested(device: DeviceName, part: str, options: Mapping[str, object]) -> None:
    """Checks that what counts for a whole compiled model is not said of a part of it."""
    names = [] if isinstance(device, Physical) else list(of_runtime(options))
    if names:
        raise InputError(
            f"{DEVICE_PROPERTIES} has {names[0]} for '{part}', but it is of the whole model: give it beside "
            f"{DEVICE_PROPERTIES}."
        )


def is_on(properties: Mapping[str, object], name: str, *, default: bool) -> bool:
    """The value of a property of a device that is made of others: YES or NO.

    Raises:
        InputError: it is neither.
    """
    given = {str(key).upper(): value for key, value in properties.items()}.get(name, default)
    word = given.upper() if isinstance(given, str) else given
    if not isinstance(word, bool | str) or word not in _WORDS:
        raise InputError(f"{name} must be YES or NO, got {given!r}.")
    return _WORDS[word]
