"""The package ``openvino``, and the devices that it has here."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

from ...errors import DelegateUnavailable

EXTRA = "pip install 'lite-delegate[openvino]'"


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


def is_installed() -> bool:
    """Whether the package is there; it is not imported."""
    try:
        return find_spec("openvino") is not None
    except ValueError:  # it is in sys.modules without a specification
        return False


@cache
def _core(made_by: Any) -> Any:
    return made_by.Core()


def core() -> Any:
    """OpenVINO's core, one for the process: it keeps what plugins load.

    Raises:
        DelegateUnavailable: the package is not there.
    """
    return _core(package())


def check_device(device: str) -> None:
    """Checks that OpenVINO has a device here; of ``HETERO:GPU,CPU`` and the like, each one that is named.

    Raises:
        DelegateUnavailable: it does not, or the package is not there.
    """
    there = devices()
    for name in _named(device):
        if name not in there and f"{name}.0" not in there:
            raise DelegateUnavailable(f"OpenVINO has no device '{name}' here; it has {', '.join(there) or 'none'}.")


def devices() -> list[str]:
    """The devices that OpenVINO lists here.

    Raises:
        DelegateUnavailable: the package is not there, or it cannot say.
    """
    try:
        return list(core().available_devices)
    except RuntimeError as e:
        raise DelegateUnavailable(f"OpenVINO cannot list its devices: {e}") from e


def _named(device: str) -> list[str]:
    virtual, _, parts = device.partition(":")
    return [part.split("(")[0].strip() for part in parts.split(",")] if parts else [virtual]
