"""The runtimes on whose kernels the CPU runs the nodes that delegates leave to it."""

from __future__ import annotations

from ...delegate import Delegate
from ...inference.properties.cpu_properties import AUTO, BACKEND_NAMES, NONE
from ..registry.names import Physical
from ..registry.registry import DeviceRegistry


def cpu_backends(choice: str, registry: DeviceRegistry) -> tuple[Delegate, ...]:
    """The delegates of the runtimes, in order of preference; making a delegate does not import its package.

    Args:
        choice: a value of ``CPU_BACKENDS``: AUTO means the runtimes whose packages are installed.
        registry: has the runtimes as devices.

    Raises:
        DelegateUnavailable: a delegate cannot be made.
    """
    if choice == NONE:
        return ()
    if choice != AUTO:
        return (registry.delegate(Physical(choice)),)
    there = [device for device in map(Physical, BACKEND_NAMES) if not registry.why_absent(device)]
    return tuple(map(registry.delegate, there))
