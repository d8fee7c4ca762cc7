"""Properties of the core, and the device of each property of a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...inference.properties.cpu_properties import CPU_REGISTRY, LOG
from ...inference.properties.runtime_properties import RUNTIME, RUNTIME_PROPERTIES
from ...properties import Choice, Integer, PropertySpec, Registry, YesNo, mapping_of
from ..registry.names import Batch, DeviceName, Hetero, Physical, parse_device
from .device_slots import SchedulePolicy
from .part_options import (
    AUTO_BATCHING,
    BATCH_TIMEOUT,
    DEVICE_PROPERTIES,
    RUNTIME_FALLBACK,
    SCHEDULE_POLICY,
    STARTUP_FALLBACK,
    own_of,
)

SUPPORTED = "SUPPORTED_PROPERTIES"
AVAILABLE = "AVAILABLE_DEVICES"
LISTS = (SUPPORTED, "SUPPORTED_METRICS", "SUPPORTED_CONFIG_KEYS")
ADDRESSING = (DEVICE_PROPERTIES, STARTUP_FALLBACK)
"""Properties that say which device is meant, and are no values of a device."""
NO_VALUES = (*ADDRESSING, RUNTIME_FALLBACK, SCHEDULE_POLICY, BATCH_TIMEOUT, AUTO_BATCHING)
"""Properties that are no values of a physical device."""
COMPOSED_PROPERTIES = (
    PropertySpec(
        STARTUP_FALLBACK,
        "AUTO: YES lets the CPU serve while the model is compiled for a device, NO waits. HETERO and MULTI: YES leaves "
        "out devices that are not there, NO is an error",
        YesNo(),
        None,
        scope="k",
        when="L",
        usual="YES for AUTO, NO for HETERO and MULTI",
    ),
    PropertySpec(
        RUNTIME_FALLBACK,
        "AUTO and MULTI: YES repeats a run that fails on a device on another device, NO raises the error",
        YesNo(),
        True,
        scope="k",
        when="L",
    ),
    PropertySpec(
        SCHEDULE_POLICY,
        "MULTI: which of the devices that have room gets a run, the first in order or each in turn",
        Choice(tuple(SchedulePolicy)),
        SchedulePolicy.DEVICE_PRIORITY.value,
        scope="k",
        when="L",
    ),
    PropertySpec(
        BATCH_TIMEOUT,
        "BATCH: milliseconds that a run waits at most for other runs to be computed with; can be set on the compiled "
        "model at run time",
        Integer(0, 3_600_000),
        None,
        scope="k",
        when="L",
        usual="10, 100 with PERFORMANCE_HINT=THROUGHPUT",
    ),
    PropertySpec(
        AUTO_BATCHING,
        "YES: a model that is compiled for a device or for HETERO is compiled for BATCH of that device; where the "
        "model's runs cannot be joined, a warning says why and each run is computed alone",
        YesNo(),
        False,
        scope="k",
        when="L",
    ),
)
"""The properties of devices made of other devices; given to a call, or set on the core for all calls."""
COMPOSED = frozenset(spec.name for spec in COMPOSED_PROPERTIES)
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
        *COMPOSED_PROPERTIES,
        *RUNTIME_PROPERTIES,
    ),
)


def with_cores(device: DeviceName, call: Mapping[str, object], core: Mapping[str, object]) -> dict[str, object]:
    """The properties of a call, over the core's properties for devices made of other devices.

    Raises:
        PropertyError: the properties are no mapping, or a property of a device made of other devices has a wrong value.
    """
    call = mapping_of(call)
    own = {str(name).upper(): value for name, value in call.items() if str(name).upper() in COMPOSED}
    given = {str(name).upper() for name in call}
    more = {name: core[name] for name in own_of(device) if name in core and name not in given}
    others = {name: value for name, value in call.items() if str(name).upper() not in COMPOSED}
    return {**more, **others, **CORE_PROPERTIES.checked(own)}


def batched(device: DeviceName, call: object, core: Mapping[str, object]) -> DeviceName:
    """The device that a model is compiled for: BATCH of the device, where the call or the core allows batching.

    Raises:
        PropertyError: the properties are no mapping, or ALLOW_AUTO_BATCHING is neither YES nor NO.
    """
    given = {name: value for name, value in mapping_of(call).items() if str(name).upper() == AUTO_BATCHING}
    allowed = {**core, **CORE_PROPERTIES.checked(given)}.get(AUTO_BATCHING, False)
    return Batch(device) if allowed and isinstance(device, Physical | Hetero) else device


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
