"""The package ``openvino``, and the devices that it finds on this machine."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from ....basics.similar import did_you_mean
from ....errors import DelegateUnavailable, PropertyError

PACKAGE = "openvino"
EXTRA = "pip install 'lite-delegate[openvino]'"
NEEDS = {
    "NPU": "An NPU needs Intel's driver, which brings the compiler: the package 'openvino' has neither.",
    "GPU": "A GPU needs Intel's driver and OpenCL.",
}
"""The software of devices that is no part of the package, by kind of device."""


def package() -> Any:
    """The package ``openvino``.

    Raises:
        DelegateUnavailable: it is not installed, or cannot be imported.
    """
    try:
        import openvino
    except Exception as e:  # a package with a broken library raises anything
        raise DelegateUnavailable(f"The package 'openvino' cannot be imported ({e}): {EXTRA}.") from e
    return openvino


@cache
def _core(made_by: Any) -> Any:
    return made_by.Core()


def core() -> Any:
    """OpenVINO's core, one for the process: it keeps the loaded plugins.

    Raises:
        DelegateUnavailable: the package is not there, or damaged.
    """
    found = package()
    try:
        return _core(found)
    except Exception as e:  # a package with a broken library raises anything
        raise DelegateUnavailable(f"The package 'openvino' does not work ({e}): {EXTRA}.") from e


def release() -> str:
    """OpenVINO's release, "absent" where the package is not there."""
    try:
        return str(package().__version__)
    except (DelegateUnavailable, AttributeError):
        return "absent"


def check_device(device: str) -> None:
    """Checks that OpenVINO has a device here; of ``HETERO:GPU,CPU`` and the like, each one that is named.

    Raises:
        DelegateUnavailable: it does not, or the package is not there.
    """
    there = devices()
    for name in named_in(device):
        if name not in there and f"{name}.0" not in there:
            said = f"OpenVINO has no device '{name}' here; it has {', '.join(there) or 'none'}."
            raise DelegateUnavailable(" ".join(filter(None, (said, NEEDS.get(name.partition(".")[0])))))


def check_config(device: str, config: Iterable[str]) -> None:
    """Checks that a device has properties of these names. OpenVINO itself checks devices made of other devices.

    Raises:
        PropertyError: the device does not have a property.
    """
    if ":" in device:
        return
    known = list(core().get_property(device, "SUPPORTED_PROPERTIES"))
    unknown = next((name for name in config if name not in known), None)
    if unknown is not None:
        raise PropertyError(f"OpenVINO's {device} has no property '{unknown}'{did_you_mean(unknown, known)}")


def devices() -> list[str]:
    """The devices that OpenVINO lists here.

    Raises:
        DelegateUnavailable: the package is not there, or it cannot say.
    """
    try:
        return list(core().available_devices)
    except RuntimeError as e:
        raise DelegateUnavailable(f"OpenVINO cannot list its devices: {e}") from e


def named_in(device: str) -> list[str]:
    """The devices that a device's name has: GPU and CPU of ``HETERO:GPU,CPU``, itself where it has no list."""
    virtual, _, parts = device.partition(":")
    return [part.split("(")[0].strip() for part in parts.split(",")] if parts else [virtual]
