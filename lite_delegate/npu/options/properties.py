"""Properties that can only be read: what is known of the device, and what follows from options."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping

from ...ir.data_type import DataType
from ..device import Device
from ..profiles import Profile
from .options import Options, known_option
from .resolve import optimal_requests, why_absent_of
from .table import OPTIONS

UUID_SPACE = uuid.UUID("9f6d1c52-6a0e-4c39-8d0b-2f1f5f6f0a77")
"""Names in this space are profiles: a simulated device is known by what it simulates."""
FLOAT32_SHARE = 4
"""FLOAT16 multiply-accumulates in the time of one FLOAT32, see ``Compute.float16_macs``."""


def property_of(name: object, profile: Profile, options: Options, device: Device) -> object:
    """The value of any property: text, bool, number, tuple or mapping.

    Raises:
        InputError: no such property.
    """
    option = known_option(name)
    if option.read_only:
        return _READERS[option.name](profile, options, device)
    value = options.value(option.name, profile)
    return value if isinstance(value, (bool, int, tuple)) else str(value)


def nominal_gops(profile: Profile) -> dict[str, float]:
    """Nominal 10^9 operations per second, for each type the device takes: all tiles, highest clock, two per MAC."""
    compute = profile.compute
    per_mac = 2 * compute.tiles * max(compute.clock_mhz) / 1000
    gops: dict[str, float] = {}
    if DataType.FLOAT32 in profile.precisions:
        gops["f32"] = per_mac * compute.float16_macs / FLOAT32_SHARE
    if DataType.FLOAT16 in profile.precisions:
        gops["f16"] = per_mac * compute.float16_macs
    for dtype, name in ((DataType.INT8, "i8"), (DataType.UINT8, "u8")):
        if dtype in profile.quantized:
            gops[name] = per_mac * compute.int8_macs
    return gops


def _devices(profile: Profile, options: Options, device: Device) -> tuple[str, ...]:
    return (profile.platform,) if device.present and why_absent_of(profile, options) is None else ()


def _allocated(_: Profile, __: Options, device: Device) -> int:
    return device.allocated_memory


_PCI_FIELDS = ("domain", "bus", "device", "function")

_READERS: Mapping[str, Callable[[Profile, Options, Device], object]] = {
    "SUPPORTED_PROPERTIES": lambda profile, options, device: tuple(OPTIONS),
    "NUM_STREAMS": lambda profile, options, device: 1,
    "OPTIMAL_NUMBER_OF_INFER_REQUESTS": lambda profile, options, device: optimal_requests(profile, options),
    "RANGE_FOR_ASYNC_INFER_REQUESTS": lambda profile, options, device: (1, optimal_requests(profile, options), 1),
    "RANGE_FOR_STREAMS": lambda profile, options, device: (1, 1),
    "AVAILABLE_DEVICES": _devices,
    "DEVICE_UUID": lambda profile, options, device: str(uuid.uuid5(UUID_SPACE, profile.name)),
    "DEVICE_ARCHITECTURE": lambda profile, options, device: profile.platform,
    "FULL_DEVICE_NAME": lambda profile, options, device: f"Simulated NPU {profile.platform}: {profile.description}",
    "DEVICE_TYPE": lambda profile, options, device: profile.device_type,
    "DEVICE_GOPS": lambda profile, options, device: nominal_gops(profile),
    "DEVICE_PCI_INFO": lambda profile, options, device: dict.fromkeys(_PCI_FIELDS, 0),
    "NPU_DEVICE_ALLOC_MEM_SIZE": _allocated,
    "NPU_DEVICE_TOTAL_MEM_SIZE": lambda profile, options, device: profile.memory.dram_bytes,
    "NPU_DRIVER_VERSION": lambda profile, options, device: profile.driver_version,
}
