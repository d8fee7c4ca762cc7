"""Read-only properties: facts about the device, and values that follow from options."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping

from ...ir.types.data_type import DataType
from ..device import Device
from ..ir import compiler_version
from ..profiles import Profile
from .options import Options
from .resolve import optimal_requests

UUID_SPACE = uuid.UUID("9f6d1c52-6a0e-4c39-8d0b-2f1f5f6f0a77")
"""The name space of profiles: the UUID of a simulated device follows from its profile and its number."""
FLOAT32_SHARE = 4
"""FLOAT16 multiply-accumulates in the time of one FLOAT32, see ``Compute.float16_macs``."""


def property_of(name: object, profile: Profile, options: Options, device: Device) -> object:
    """The value of any property: text, bool, number, tuple or mapping.

    Raises:
        PropertyError: an unknown property.
    """
    spec = options.registry.readable(name)
    if spec.read_only:
        return _READERS[spec.name](profile, options, device)
    value = options.max_tiles if spec.name == "NPU_MAX_TILES" else options.value(spec.name)
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


def capabilities(profile: Profile) -> tuple[str, ...]:
    """The types that a device computes in, and its further capabilities."""
    real = (("FP32", DataType.FLOAT32), ("FP16", DataType.FLOAT16))
    has = [name for name, dtype in real if dtype in profile.precisions]
    return (*has, *(("INT8",) if profile.quantized else ()), "EXPORT_IMPORT", "STATE", "DYNAMIC")


def _devices(profile: Profile, options: Options, device: Device) -> tuple[str, ...]:
    if options.why_absent:
        return ()
    return device.place.ids or (profile.platform,)


def _uuid(profile: Profile, _: Options, device: Device) -> str:
    number = device.place.number
    return str(uuid.uuid5(UUID_SPACE, f"{profile.name}.{number}" if number else profile.name))


def _address(_: Profile, __: Options, device: Device) -> dict[str, int]:
    return {"domain": 0, "bus": device.place.bus, "device": 0, "function": 0}


def _requests(profile: Profile, options: Options, _: Device) -> tuple[int, int, int]:
    return 1, optimal_requests(profile, options.values), 1


def _allocated(_: Profile, __: Options, device: Device) -> int:
    return device.allocated_memory


_READERS: Mapping[str, Callable[[Profile, Options, Device], object]] = {
    "SUPPORTED_PROPERTIES": lambda profile, options, device: options.registry.names,
    "INTERNAL_SUPPORTED_PROPERTIES": lambda profile, options, device: tuple(
        spec.name for spec in options.registry if spec.internal
    ),
    "OPTIMIZATION_CAPABILITIES": lambda profile, options, device: capabilities(profile),
    "OPTIMAL_NUMBER_OF_INFER_REQUESTS": lambda profile, options, device: optimal_requests(profile, options.values),
    "RANGE_FOR_ASYNC_INFER_REQUESTS": _requests,
    "RANGE_FOR_STREAMS": lambda profile, options, device: (1, profile.defaults.throughput_requests),
    "AVAILABLE_DEVICES": _devices,
    "EXECUTION_DEVICES": lambda profile, options, device: ("NPU",),
    "DEVICE_UUID": _uuid,
    "DEVICE_ARCHITECTURE": lambda profile, options, device: profile.platform,
    "FULL_DEVICE_NAME": lambda profile, options, device: f"Simulated NPU {profile.platform}: {profile.description}",
    "DEVICE_TYPE": lambda profile, options, device: profile.device_type,
    "DEVICE_GOPS": lambda profile, options, device: nominal_gops(profile),
    "DEVICE_PCI_INFO": _address,
    "NPU_DEVICE_ALLOC_MEM_SIZE": _allocated,
    "NPU_DEVICE_TOTAL_MEM_SIZE": lambda profile, options, device: profile.memory.dram_bytes,
    "NPU_COMPILER_VERSION": lambda profile, options, device: compiler_version.COMPILER_VERSION,
    "NPU_DRIVER_VERSION": lambda profile, options, device: profile.driver_version,
}
