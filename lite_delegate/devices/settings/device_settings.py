"""The settings of a device: the delegates that take part, and whether nodes may be left to the CPU."""

from __future__ import annotations

from collections.abc import Callable

from ...delegate import Delegate
from ...errors import InputError
from ...runtime.settings import Settings
from ..registry.names import Hetero, Physical

Opener = Callable[[Physical], Delegate]
"""Gives the delegate of a device."""


def settings_for(device: Physical | Hetero, opener: Opener, *, needs_all: bool = True) -> Settings:
    """The settings with which a model is compiled for a device.

    1. The CPU: no delegate takes part.
    2. Any other device takes the whole model, or compiling raises an error that names the nodes the device leaves.
    3. ``HETERO``: each device takes nodes that the devices before it leave, and the CPU, which stands last, has the
       remaining nodes. Without the CPU a remaining node is an error.

    Args:
        device: the device to compile for.
        opener: gives the delegate of each part.
        needs_all: whether a part that is not there is an error, or is left out with a warning.

    Raises:
        InputError: the CPU stands before another device, and would leave it no node.
    """
    parts = device.parts if isinstance(device, Hetero) else (device,)
    early = next((part for part in parts[:-1] if part.is_cpu), None)
    if early is not None:
        raise InputError(f"Device '{device}': 'CPU' at position {early.at} takes all nodes, so it must stand last.")
    delegates = [(part, opener(part)) for part in parts if not part.is_cpu]
    has_cpu = parts[-1].is_cpu
    return Settings(
        delegates=tuple(delegate for _, delegate in delegates),
        strict=not has_cpu,
        whole="" if has_cpu else str(device),
        needs_all=needs_all,
    )
