"""DeviceQueue: the command queue of a device, for any number of threads; its simulated clock runs beside them."""

from __future__ import annotations

from threading import Lock

from ...forking import free, free_in_children
from .clock import Clock, Job
from .commands import CommandList
from .times import RunTimes, Utilization


class Ticket:
    """A command list in the queue, until ``done`` or ``cancel``.

    Attributes:
        times: what the clock says of it once it is over; None before.
    """

    def __init__(self, clock: Clock, lock: Lock, job: Job) -> None:
        self.times: RunTimes | None = None
        self._clock = clock
        self._lock = lock
        self._job = job

    def done(self) -> RunTimes:
        """Says that the host has the results: the simulated present is the end of this list, or later."""
        with self._lock:
            self.times = self._clock.finish(self._job) if self.times is None else self.times
        return self.times

    def cancel(self) -> RunTimes:
        """Ends the list at the simulated present, for a run that was cancelled or has failed."""
        with self._lock:
            self.times = self._clock.cancel(self._job) if self.times is None else self.times
        return self.times


class DeviceQueue:
    """Takes the command lists of runs, in the order of the calls.

    The host's threads do the copies and the computing, and take the time that they take; here they say when a run
    begins and when its results are there. What that comes to on the device is the simulated clock's to say: a list is
    submitted at the latest end of those that are done by then.

    Args:
        dma_engines: of the device.

    Attributes:
        dma_engines: the same.
    """

    def __init__(self, dma_engines: int = 1) -> None:
        self.dma_engines = dma_engines
        self._clock = Clock(dma_engines)
        self._lock = Lock()
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: no run of the parent goes on here."""
        free(self._lock)
        self._clock = Clock(self.dma_engines)

    def submit(self, commands: CommandList) -> Ticket:
        """Adds a command list."""
        with self._lock:
            return Ticket(self._clock, self._lock, self._clock.submit(commands))

    @property
    def waiting(self) -> int:
        """The command lists that are not over."""
        return self._clock.waiting

    @property
    def now_us(self) -> float:
        """The simulated present, in microseconds."""
        return self._clock.now

    def utilization(self) -> Utilization:
        """The use of the engines since this was asked last."""
        with self._lock:
            return self._clock.utilization()
