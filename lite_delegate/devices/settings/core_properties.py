"""Properties of the core, and the device of each property of a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...inference.properties.cpu_properties import CPU_REGISTRY, LOG
from ...inference.properties.runtime_properties import RUNTIME, RUNTIME_PROPERTIES
from ...properties import PropertySpec, Registry, mapping_of
from ..registry.names import Batch, DeviceName, Hetero, Physical, parse_device
from .virtual_properties import (
    AUTO_BATCHING,
    DEVICE_PROPERTIES,
    STARTUP_FALLBACK,
    VIRTUAL_PROPERTIES,
    own_of,
    own_value,
)

SUPPORTED = "SUPPORTED_PROPERTIES"
AVAILABLE = "AVAILABLE_DEVICES"
LISTS = (SUPPORTED, "SUPPORTED_METRICS", "SUPPORTED_CONFIG_KEYS")
ADDRESSING = (DEVICE_PROPERTIES, STARTUP_FALLBACK)
"""Properties that say which device is meant, and are no values of a device."""
_VIRTUAL = frozenset(spec.name for spec in VIRTUAL_PROPERTIES)
_NO_VALUES = _VIRTUAL | {DEVICE_PROPERTIES}
"""Properties that are no values of a physical device."""
CORE_PROPERTIES = Registry(
    "The core",
    (
        PropertySpec(
            SUPPORTED,
            "the names of all properties of the core",
            scope="k",
            aliases=LISTS[1:],
        ),
        PropertySpec(AVAILABLE, "the names of the devices that are there", scope="k"),
        replace(
            CPU_REGISTRY.find(LOG),
            effect=f"{LOG} of every device that has this property and no value of its own",
            scope="k",
        ),
        *VIRTUAL_PROPERTIES,
        *RUNTIME_PROPERTIES,
    ),
)


def with_cores(device: DeviceName, call: Mapping[str, object], core: Mapping[str, object]) -> dict[str, object]:
    """The properties of a call, over the core's properties for virtual devices.

    Raises:
        PropertyError: the properties are no mapping, or a property of a virtual device has a wrong value.
    """
    call = mapping_of(call)
    own = {str(name).upper(): value for name, value in call.items() if str(name).upper() in _VIRTUAL}
    given = {str(name).upper() for name in call}
    more = {name: core[name] for name in own_of(device) if name in core and name not in given}
    others = {name: value for name, value in call.items() if str(name).upper() not in _VIRTUAL}
    return {**more, **others, **CORE_PROPERTIES.checked(own)}


def batched(device: DeviceName, call: object, core: Mapping[str, object]) -> DeviceName:
    """The device that a model is compiled for: BATCH of the device, where the call or the core allows batching.

    Raises:
        PropertyError: the properties are no mapping, or ALLOW_AUTO_BATCHING is neither YES nor NO.
    """
    given = {name: value for name, value in mapping_of(call).items() if str(name).upper() == AUTO_BATCHING}
    allowed = own_value(Batch, {**core, **CORE_PROPERTIES.checked(given)}, AUTO_BATCHING)
    return Batch(device) if allowed and isinstance(device, Physical | Hetero) else device


def of_device(properties: Mapping[str, object]) -> dict[str, object]:
    """The properties of a call that are values of a device."""
    return {
        name: value for name, value in properties.items() if str(name).upper() not in _NO_VALUES and name not in RUNTIME
    }


def nested_of(device: Physical, properties: Mapping[str, object]) -> dict[str, object]:
    """The properties that a call nests for one device."""
    found = {str(name).upper(): value for name, value in properties.items()}.get(DEVICE_PROPERTIES, {})
    if not isinstance(found, Mapping):
        return {}
    mine = [each for text, each in found.items() if _is(device, text)]
    return {str(name): value for each in mine for name, value in each.items()}


def _is(device: Physical, text: str) -> bool:
    other = parse_device(text)
    return isinstance(other, Physical) and other.key == device.key
