"""DeviceAccount: what tensors know of the context that made them: the device, and what is brought there and back."""

from __future__ import annotations

from threading import Lock
from typing import NoReturn, SupportsIndex

from ..basics.forking import free, free_in_children, stays_here
from .memory import RemoteMemory


class DeviceAccount:
    """The device of a context, and the bytes that copies have brought there and back.

    Args:
        device_name: as users call the device.
        memory: of the device.
    """

    def __init__(self, device_name: str, memory: RemoteMemory) -> None:
        self.device_name = device_name
        self.memory = memory
        self._bytes_to_device = self._bytes_to_host = 0
        self._lock = Lock()
        free_in_children(self)

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Rejected: a context has memory of a device of its process."""
        stays_here(self, "make a context in the other process (Core.default_context)")

    def after_fork(self) -> None:
        """See ``forking``."""
        free(self._lock)

    @property
    def bytes_to_device(self) -> int:
        """Bytes that ``copy_from`` has brought to the device, and the contents that tensors were made with."""
        return self._bytes_to_device

    @property
    def bytes_to_host(self) -> int:
        """Bytes that ``copy_to`` has brought to the host."""
        return self._bytes_to_host

    def brought(self, nbytes: int, source: DeviceAccount | None = None) -> None:
        """Notes that contents come to the device: from the host, or from another context through it.

        Raises:
            DelegateError: one of the devices is not there.
        """
        if source is not None:
            if source.memory.owner is self.memory.owner:
                return
            source.taken(nbytes)
        if self.memory.is_host:
            return
        self.memory.bring(nbytes, to_device=True)
        with self._lock:
            self._bytes_to_device += nbytes

    def taken(self, nbytes: int) -> None:
        """Notes that contents go to the host.

        Raises:
            DelegateError: the device is not there.
        """
        if self.memory.is_host:
            return
        self.memory.bring(nbytes, to_device=False)
        with self._lock:
            self._bytes_to_host += nbytes
