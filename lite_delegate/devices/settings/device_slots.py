"""DeviceSlots: the number of runs that several devices have room for, and the device that gets the next run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from threading import Condition, RLock

from ...basics.forking import free, free_in_children
from ...delegate import current_token
from ...errors import DelegateExecuteError


class SchedulePolicy(StrEnum):
    """The choice among the devices that have room for a run.

    1. DEVICE_PRIORITY: the first device in order.
    2. ROUND_ROBIN: the next device after the device that got the previous run.
    """

    DEVICE_PRIORITY = "DEVICE_PRIORITY"
    ROUND_ROBIN = "ROUND_ROBIN"


class DeviceSlots:
    """Slots for runs on several devices. Safe for several threads.

    Args:
        sizes: the number of slots by device, in order.
        policy: says which device comes first.
    """

    def __init__(self, sizes: Mapping[str, int], policy: SchedulePolicy) -> None:
        self._sizes = dict(sizes)
        self._policy = policy
        self._lock = RLock()  # taken more than once by a thread in which the garbage collector cancels a run
        self._changed = Condition(self._lock)
        self._busy = dict.fromkeys(sizes, 0)
        self._order = list(sizes)
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: no run of the parent process is under way in the child."""
        free(self._changed)
        self._busy = dict.fromkeys(self._busy, 0)

    @contextmanager
    def taken(self) -> Iterator[str]:
        """Waits for a slot, and holds it until the block is left; gives the device.

        Raises:
            DelegateExecuteError: no device is left.
            RequestCancelled: the run was cancelled while it waited.
        """
        name = ""
        try:
            with self._lock:
                self._wait()
                name = next(each for each in self._order if self._busy[each] < self._sizes[each])
                self._busy[name] += 1
                if self._policy is SchedulePolicy.ROUND_ROBIN:
                    at = self._order.index(name) + 1
                    self._order = [*self._order[at:], *self._order[:at]]
            yield name
        finally:
            if name:
                with self._lock:
                    self._busy[name] -= 1
                    self._changed.notify_all()

    def drop(self, name: str) -> None:
        """Removes a device for good."""
        with self._lock:
            self._order = [each for each in self._order if each != name]
            self._changed.notify_all()

    @property
    def left(self) -> tuple[str, ...]:
        """The devices that were not removed, in their original order."""
        return tuple(name for name in self._sizes if name in self._order)

    def _wait(self) -> None:
        token = current_token()
        if token is None:
            self._changed.wait_for(self._is_free)
        else:
            with token.waking(self._wake):
                self._changed.wait_for(lambda: token.is_cancelled or self._is_free())
                token.check()
        if not self._order:
            raise DelegateExecuteError("No device is left to run on.")

    def _is_free(self) -> bool:
        return not self._order or any(self._busy[name] < self._sizes[name] for name in self._order)

    def _wake(self) -> None:
        with self._lock:
            self._changed.notify_all()
