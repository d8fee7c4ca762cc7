"""Properties of the core, and which of those of a call are of which device."""

from __future__ import annotations

from collections.abc import Mapping

from ..inference.runtime_properties import RUNTIME, RUNTIME_PROPERTIES
from ..properties import Choice, PropertySpec, Registry
from .names import Physical, parse_device
from .part_options import BATCH_TIMEOUT, DEVICE_PROPERTIES, RUNTIME_FALLBACK, SCHEDULE_POLICY, STARTUP_FALLBACK

SUPPORTED = "SUPPORTED_PROPERTIES"
AVAILABLE = "AVAILABLE_DEVICES"
LISTS = (SUPPORTED, "SUPPORTED_METRICS", "SUPPORTED_CONFIG_KEYS")
ADDRESSING = ("DEVICE_ID", DEVICE_PROPERTIES, STARTUP_FALLBACK)
"""What says which device is meant, and is no value of one."""
NO_VALUES = (*ADDRESSING, RUNTIME_FALLBACK, SCHEDULE_POLICY, BATCH_TIMEOUT)
"""What is of devices that are made of others, too."""
LOG_LEVELS = ("LOG_NONE", "LOG_ERROR", "LOG_WARNING", "LOG_INFO", "LOG_DEBUG", "LOG_TRACE")
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
        PropertySpec(
            "LOG_LEVEL",
            "LOG_LEVEL of every device that has it and for which nobody sets another one",
            Choice(LOG_LEVELS, "LOG_"),
            LOG_LEVELS[0],
            scope="k",
            when="R",
        ),
        *RUNTIME_PROPERTIES,
    ),
)


def of_device(properties: Mapping[str, object]) -> dict[str, object]:
    """The properties of a call that are values of a device."""
    return {
        name: value for name, value in properties.items() if str(name).upper() not in NO_VALUES and name not in RUNTIME
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
