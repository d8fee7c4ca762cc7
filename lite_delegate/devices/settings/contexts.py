"""Contexts: the contexts of a core's devices, and the shared context of each device."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import Any

from ...basics.forking import free, free_in_children
from ...errors import RemoteError
from ...inference.properties.cpu_properties import CPU_REGISTRY
from ...remote import HostMemory, RemoteContext
from ..registry.names import CPU, DeviceName, Physical
from .configured_devices import NOTHING, ConfiguredDevices
from .part_options import PartOptions, parts_of


class Contexts:
    """The contexts of the devices of a core. Safe for several threads.

    Args:
        devices: the devices of the core.
    """

    def __init__(self, devices: ConfiguredDevices) -> None:
        self._devices = devices
        self._shared: dict[tuple[str, str], RemoteContext] = {}
        self._lock = Lock()
        free_in_children(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """The devices: another process makes its own contexts."""
        return Contexts, (self._devices,)

    def after_fork(self) -> None:
        """See ``forking``."""
        free(self._lock)

    def create(self, part: Physical, **parameters: object) -> RemoteContext:
        """A new context; see ``Core.create_context``."""
        if part.is_cpu:
            CPU_REGISTRY.checked(parameters)
            return RemoteContext(CPU, HostMemory(), parameters)
        return self._devices.delegate(part, parameters).remote_context().with_params(parameters)

    def default(self, part: Physical) -> RemoteContext:
        """The shared context of a device; see ``Core.default_context``."""
        found = self._shared.get(part.key)
        if found is not None and found.memory.is_there:
            return found
        made = self.create(part)
        with self._lock:
            if self._shared.get(part.key) is found:
                self._shared[part.key] = made
            return self._shared[part.key]

    def check(self, context: RemoteContext, device: DeviceName, options: PartOptions) -> None:
        """Checks that a context is of a device that a model is compiled or imported for.

        Args:
            context: the context that the call was given.
            device: the device of the call.
            options: the options of the device's parts.

        Raises:
            RemoteError: the context is of another device; or the object is no context.
        """
        if not isinstance(context, RemoteContext):
            raise RemoteError(f"context must be a RemoteContext of the device, or None, got {type(context).__name__}.")
        parts = parts_of(device, self._devices.registry)
        if not any(context.memory.owner is self._owner(part, options.get(part.key, NOTHING)) for part in parts):
            one = next((part for part in parts if not part.is_cpu), parts[0])
            raise RemoteError(
                f"The context is of device '{context.device_name}', and not of '{device}' of this core: "
                f"core.default_context('{one}') gives the right context."
            )

    def _owner(self, part: Physical, options: Mapping[str, object]) -> object:
        """The owner of a device's memory; the device's name, which owns no memory, where it has no contexts."""
        if part.is_cpu:
            return HostMemory().owner
        try:
            return self._devices.delegate(part, options).remote_context().memory.owner
        except RemoteError:
            return part
