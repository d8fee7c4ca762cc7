"""The read-only properties of the NPU: facts about the device."""

from __future__ import annotations

from ...properties import PropertySpec

FACTS = (
    PropertySpec(
        "AVAILABLE_DEVICES",
        "the platform, or the ids of all that LITE_DELEGATE_NPU_DEVICES lists; nothing where the device is absent",
        scope="kd",
    ),
    PropertySpec(
        "EXECUTION_DEVICES",
        "the name of the device; that of a compiled model has the devices that have kernels of it",
    ),
    PropertySpec(
        "DEVICE_UUID", "of the profile's name and the number of the device; the same in every process", scope="dc"
    ),
    PropertySpec("DEVICE_ARCHITECTURE", "the platform", scope="dc", when="C", usual="device"),
    PropertySpec("FULL_DEVICE_NAME", "the platform and the profile's description", scope="dc", usual="device"),
    PropertySpec(
        "OPTIMIZATION_CAPABILITIES",
        "the types that the device computes in, and what else it can do: EXPORT_IMPORT, STATE (models that keep state) "
        "and DYNAMIC (dimensions with bounds)",
        usual="device",
    ),
    PropertySpec("DEVICE_TYPE", "INTEGRATED or DISCRETE", scope="dc", usual="device"),
    PropertySpec(
        "DEVICE_GOPS",
        "nominal 10^9 operations per second for each type: two for each multiply-accumulate, all tiles, "
        "highest clock. No estimate of what a model reaches",
        scope="dc",
        usual="device",
    ),
    PropertySpec(
        "DEVICE_PCI_INFO",
        "simulated: zeros, and of several devices the place in LITE_DELEGATE_NPU_DEVICES as bus",
        scope="dc",
    ),
    PropertySpec("NPU_DEVICE_ALLOC_MEM_SIZE", "bytes of device memory that are taken now"),
    PropertySpec("NPU_DEVICE_TOTAL_MEM_SIZE", "bytes of device memory", scope="dc", usual="device"),
    PropertySpec(
        "NPU_COMPILER_VERSION",
        "of what compiles for the device, here part of the package; what another version compiled is a miss of the "
        "cache, and not imported",
        scope="dc",
        when="C",
        usual="package",
    ),
    PropertySpec(
        "NPU_DRIVER_VERSION", "decides about limits that end in `_since`", scope="dc", when="C", usual="device"
    ),
)
