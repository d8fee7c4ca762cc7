"""Contexts: those of a core's devices, and which of them everybody shares."""

from __future__ import annotations

from threading import Lock

from ..forking import free, free_in_children
from ..inference.cpu_properties import CPU_REGISTRY
from ..remote import HostMemory, RemoteContext
from .configured import ConfiguredDevices
from .names import CPU, Physical


class Contexts:
    """The contexts of the devices of a core. Safe for several threads.

    Args:
        devices: of the core.
    """

    def __init__(self, devices: ConfiguredDevices) -> None:
        self._devices = devices
        self._shared: dict[tuple[str, str], RemoteContext] = {}
        self._lock = Lock()
        free_in_children(self)

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
        """The one that everybody shares; see ``Core.default_context``."""
        found = self._shared.get(part.key)
        if found is not None and found.memory.is_there:
            return found
        made = self.create(part)
        with self._lock:
            if self._shared.get(part.key) is found:
                self._shared[part.key] = made
            return self._shared[part.key]
