"""The options of each device in one call, taken from the properties of the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...errors import InputError
from ...inference.properties.cpu_properties import CPU_REGISTRY
from ...inference.properties.runtime_properties import not_of_runtime, of_runtime
from ..registry.names import Auto, Batch, DeviceName, Physical, parse_device
from ..registry.registry import DeviceRegistry
from .auto_choice import candidates
from .virtual_properties import AUTO_BATCHING, DEVICE_PROPERTIES, STARTUP_FALLBACK, own_of

PartOptions = dict[tuple[str, str], dict[str, object]]
"""Options by ``Physical.key``."""


def part_options(device: DeviceName, properties: Mapping[str, object], registry: DeviceRegistry) -> PartOptions:
    """The options of each device, nested options over flat options. Options of devices that take no part are checked.

    Raises:
        InputError: a virtual device has flat options; or nested options are no mapping or of no device.
    """
    flat = {str(name).upper(): value for name, value in not_of_runtime(properties).items()}
    nested = flat.pop(DEVICE_PROPERTIES, {})
    for own in (STARTUP_FALLBACK, AUTO_BATCHING, *own_of(device)):
        flat.pop(own, None)
    if isinstance(device, Batch):
        device = device.part
    if flat and not isinstance(device, Physical):
        advice = _advice(flat, parts_of(device, registry))
        raise InputError(f"Device '{device}' is made of other devices: {advice}.")
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


def notes_of(device: DeviceName, properties: Mapping[str, object], registry: DeviceRegistry) -> tuple[str, ...]:
    """The notes on devices that take no part: the call's properties for them were checked and have no effect."""
    nested = {str(name).upper(): value for name, value in properties.items()}.get(DEVICE_PROPERTIES, {})
    taking_part = {part.key for part in parts_of(device, registry)}
    named = [parse_device(text) for text in nested] if isinstance(nested, Mapping) else []
    return tuple(
        f"{DEVICE_PROPERTIES} has properties for '{each}', which is no part of '{device}': checked, without effect"
        for each in named
        if isinstance(each, Physical) and each.key not in taking_part
    )


def parts_of(device: DeviceName, registry: DeviceRegistry) -> Sequence[Physical]:
    """The physical devices that may take part."""
    if isinstance(device, Batch):
        device = device.part
    if isinstance(device, Auto):
        return candidates(device, registry, registry.why_absent)
    return (device,) if isinstance(device, Physical) else device.parts


def _advice(flat: Mapping[str, object], parts: Sequence[Physical]) -> str:
    """The advice to write the first flat property as a property of a part."""
    name, value = next(iter(flat.items()))
    if name in {str(part).upper() for part in parts}:
        return f"properties of {name} are given as {{'{DEVICE_PROPERTIES}': {{'{name}': {value!r}}}}}"
    part = next((part for part in parts if not part.is_cpu), "CPU")
    return f"say whose {name} is meant, {{'{DEVICE_PROPERTIES}': {{'{part}': {{'{name}': ...}}}}}}"


def _check_nested(device: DeviceName, part: str, options: Mapping[str, object]) -> None:
    """Checks that a property of the whole compiled model is not nested for a part."""
    names = [] if isinstance(device, Physical) else list(of_runtime(options))
    if names:
        raise InputError(
            f"{DEVICE_PROPERTIES} has {names[0]} for '{part}', but {names[0]} is of the whole model: give it beside "
            f"{DEVICE_PROPERTIES}."
        )
