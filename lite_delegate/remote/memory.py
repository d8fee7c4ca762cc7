"""RemoteMemory: the memory of a device, as remote tensors take it; and what one of them holds of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from weakref import finalize

from lite_delegate_kernels import Array

from ..errors import DelegateBuildError, DeviceLost, RemoteError


class RemoteMemory(ABC):
    """The memory of a device, which tensors are made in. A delegate that offers contexts implements it.

    Attributes:
        owner: what it is a part of. Graph kernels that give the same as ``Kernel.memory_owner`` read and write it.
        is_host: whether it is plain memory of the host, to which nothing has to be brought.
    """

    is_host = False

    def __init__(self, owner: object) -> None:
        self.owner = owner

    @abstractmethod
    def take(self, nbytes: int) -> object:
        """Takes memory; what stands for it.

        Raises:
            DelegateBuildError: there is not so much left.
            DelegateError: the device is not there.
        """

    @abstractmethod
    def give_back(self, taken: object) -> None:
        """Gives memory back, in any thread, at any point; nothing happens where the device has it no more."""

    @abstractmethod
    def holds(self, taken: object) -> bool:
        """False once the device was lost, or the memory was given back."""

    def taken_for(self, nbytes: int) -> int:
        """The bytes of the device's memory that a tensor of so many takes: more where it is given in units."""
        return nbytes

    @property
    def is_there(self) -> bool:
        """False where the device was lost, so that nothing can be taken."""
        return True

    def bring(self, nbytes: int, *, to_device: bool) -> None:
        """Contents are brought from the host to the device, or back. Devices that keep an account of that do it here.

        Raises:
            DelegateError: the device is not there.
        """
        return None


class HostMemory(RemoteMemory):
    """Plain memory of the host: that of the CPU."""

    is_host = True

    def __init__(self) -> None:
        super().__init__(HostMemory)

    def take(self, nbytes: int) -> object:
        """There is always some, or numpy says so."""
        return self

    def give_back(self, taken: object) -> None:
        """Nothing: arrays go by themselves."""

    def holds(self, taken: object) -> bool:
        """Always."""
        return True


class Holding:
    """Memory that a tensor and the boxes of it share, until it is released or nobody has it any more.

    Args:
        memory: of the device.
        make: gives the array that stands for it, once it is taken.
        nbytes: that are taken of the memory; 0 for contents that are in memory of the host.
        where: they belong, for messages.
    """

    def __init__(self, memory: RemoteMemory, make: Callable[[], Array], nbytes: int, where: str) -> None:
        self.nbytes = memory.taken_for(nbytes)
        self._where = where
        self._memory = memory
        self._taken = memory.take(self.nbytes)
        self._free = finalize(self, memory.give_back, self._taken)
        self._free.atexit = False
        self._array: Array | None = None
        try:
            self._array = make()
        except MemoryError as e:
            self._free()
            raise DelegateBuildError(f"{where}: the host has no memory for it: {e}") from e

    @property
    def is_held(self) -> bool:
        """False once it was released, or lost with its device."""
        return self._array is not None and self._memory.holds(self._taken)

    def array(self) -> Array:
        """The contents.

        Raises:
            RemoteError: released.
            DeviceLost: the device was lost, and the contents with it.
        """
        if self._array is None:
            raise RemoteError(f"{self._where} was released; make a new one.")
        if not self._memory.holds(self._taken):
            raise DeviceLost(f"{self._where} is gone: its device was lost. Make a context and a tensor anew.")
        return self._array

    def release(self) -> None:
        """Gives the memory back; once more changes nothing."""
        self._array = None
        self._free()
