"""The properties of virtual devices; the parts of a virtual device do not have these properties."""

from __future__ import annotations

from collections.abc import Mapping

from ...properties import Choice, Integer, PropertySpec, YesNo
from ..registry.names import AUTO, BATCH, HETERO, MULTI, Auto, Batch, DeviceName, Hetero, Multi
from .device_slots import SchedulePolicy

DEVICE_PROPERTIES = "DEVICE_PROPERTIES"
STARTUP_FALLBACK = "ENABLE_STARTUP_FALLBACK"
RUNTIME_FALLBACK = "ENABLE_RUNTIME_FALLBACK"
SCHEDULE_POLICY = "SCHEDULE_POLICY"
BATCH_TIMEOUT = "AUTO_BATCH_TIMEOUT"
AUTO_BATCHING = "ALLOW_AUTO_BATCHING"
LATENCY_MS, THROUGHPUT_MS = 10, 100
"""The default of AUTO_BATCH_TIMEOUT, and its default with the hint THROUGHPUT, in milliseconds."""
_STARTS = {Auto: True, Hetero: False, Multi: False, Batch: False}
"""The default of ENABLE_STARTUP_FALLBACK by kind of device."""
_OWN: dict[type, tuple[str, ...]] = {
    Auto: (STARTUP_FALLBACK, RUNTIME_FALLBACK),
    Hetero: (STARTUP_FALLBACK,),
    Multi: (STARTUP_FALLBACK, RUNTIME_FALLBACK, SCHEDULE_POLICY),
    Batch: (STARTUP_FALLBACK, BATCH_TIMEOUT, AUTO_BATCHING),
}

VIRTUAL_PROPERTIES = (
    PropertySpec(
        STARTUP_FALLBACK,
        f"{AUTO}: YES lets the CPU serve while the model is compiled for a device, NO waits. {HETERO} and {MULTI}: YES "
        "leaves out devices that are not there, NO is an error",
        YesNo(),
        None,
        scope="k",
        when="L",
        usual=f"{'YES' if _STARTS[Auto] else 'NO'} for {AUTO}, {'YES' if _STARTS[Hetero] else 'NO'} for {HETERO} and "
        f"{MULTI}",
    ),
    PropertySpec(
        RUNTIME_FALLBACK,
        f"{AUTO} and {MULTI}: YES repeats a run that fails on a device on another device, NO raises the error",
        YesNo(),
        True,
        scope="k",
        when="L",
    ),
    PropertySpec(
        SCHEDULE_POLICY,
        f"{MULTI}: which of the devices that have room gets a run, the first in order or each in turn",
        Choice(tuple(SchedulePolicy)),
        SchedulePolicy.DEVICE_PRIORITY.value,
        scope="k",
        when="L",
    ),
    PropertySpec(
        BATCH_TIMEOUT,
        f"{BATCH}: milliseconds that a run waits at most for other runs to be computed with; can be set on the "
        "compiled model at run time",
        Integer(0, 3_600_000),
        None,
        scope="k",
        when="L",
        usual=f"{LATENCY_MS}, {THROUGHPUT_MS} with PERFORMANCE_HINT=THROUGHPUT",
    ),
    PropertySpec(
        AUTO_BATCHING,
        f"YES: a model that is compiled for a device or for {HETERO} is compiled for {BATCH} of that device; where the "
        "model's runs cannot be joined, a warning says why and each run is computed alone",
        YesNo(),
        False,
        scope="k",
        when="L",
    ),
)
"""The properties of virtual devices, given to a call, or set on the core for all calls."""
_SPECS = {spec.name: spec for spec in VIRTUAL_PROPERTIES}


def own_of(device: DeviceName) -> tuple[str, ...]:
    """The names of the properties that a virtual device has itself; () for a physical device."""
    return _OWN.get(type(device), ())


def own_value(kind: type[DeviceName], properties: Mapping[str, object], name: str) -> object:
    """The checked value of a property of a virtual device, or the default of the device's kind.

    Args:
        kind: the class of the device's name: Auto, Hetero, Multi or Batch.
        properties: the properties of the call, see ``with_cores``.
        name: the name of the property.
    """
    if name in properties:
        return properties[name]
    return _STARTS[kind] if name == STARTUP_FALLBACK else _SPECS[name].default
