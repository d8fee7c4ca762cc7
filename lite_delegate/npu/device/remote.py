"""DeviceMemory: the device's memory for remote tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from ...remote import RemoteMemory
from ..queue import Command, CommandList, Engine
from .device import Device
from .loaded_program import Allocation
from .programs.memory import aligned


class DeviceMemory(RemoteMemory):
    """The DRAM of a device. Transfers to it and back occupy its DMA engines on the simulated clock.

    Args:
        device: the device.
        transfer_us: the estimated duration of a transfer of so many bytes.
    """

    def __init__(self, device: Device, transfer_us: Callable[[int], float]) -> None:
        super().__init__(device)
        self._device = device
        self._transfer_us = transfer_us

    def take(self, nbytes: int) -> Allocation:
        """As ``Device.allocate``."""
        return self._device.allocate(nbytes, "remote tensor")

    def taken_for(self, nbytes: int) -> int:
        """The bytes that buffers take; none for memory of the host that the device reads."""
        return aligned(nbytes) if nbytes else 0

    def give_back(self, taken: object) -> None:
        """As ``Device.free``."""
        self._device.free(cast(Allocation, taken))

    def holds(self, taken: object) -> bool:
        """As ``Device.holds``."""
        return self._device.holds(cast(Allocation, taken))

    @property
    def is_there(self) -> bool:
        """Whether the device is open, and not lost."""
        return self._device.is_open

    def bring(self, nbytes: int, *, to_device: bool) -> None:
        """A transfer on the simulated clock, by itself."""
        engine = Engine.UPLOAD if to_device else Engine.DOWNLOAD
        command = Command(engine, self._transfer_us(nbytes), nbytes=nbytes)
        self._device.queue.submit(CommandList((command,))).done()
