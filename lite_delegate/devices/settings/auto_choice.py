"""The choice of AUTO: the devices that come into question for a model, and the device that takes the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ...errors import DelegateError, InputError, UnsupportedOperatorError
from ..registry.names import Auto, Physical
from ..registry.registry import DeviceRegistry

_T = TypeVar("_T")


class PassedOver(DelegateError):
    """The error of a device that could run a model, and that AUTO passes over."""


def candidates(device: Auto, registry: DeviceRegistry, why_absent: Callable[[Physical], str]) -> list[Physical]:
    """The devices that AUTO chooses from: the listed devices, or all present devices with the CPU last.

    Args:
        device: has the listed devices, and the excluded devices.
        registry: has all devices.
        why_absent: gives the reason why a device is not there, "" where it is.

    Raises:
        InputError: a device is not registered, or no device is left.
    """
    for each in (*device.parts, *device.excluded):
        registry.name_of(each)
    out = {each.key for each in device.excluded}
    every = map(Physical, registry.names_for_auto)
    parts = device.parts or [each for each in every if not why_absent(each)]
    left = [part for part in parts if part.key not in out]
    if not left:
        raise InputError(f"Device '{device}' leaves no device to choose.")
    return left


def choose(parts: Sequence[Physical], compiled: Callable[[Physical, Sequence[str]], _T]) -> _T:
    """The model compiled for the first device that takes all of it.

    Args:
        parts: the devices, in order.
        compiled: compiles for a device; receives the notes on the devices that were passed over, too.

    Raises:
        DelegateError: no device takes the model; the message has the reason of each device.
    """
    passed: list[str] = []
    for part in parts:
        try:
            return compiled(part, passed)
        except (DelegateError, UnsupportedOperatorError) as e:
            if len(parts) == 1:
                raise
            passed.append(f"AUTO passes device '{part}' over: {e}")
    raise DelegateError(f"No device takes the model. {' '.join(passed)}")
