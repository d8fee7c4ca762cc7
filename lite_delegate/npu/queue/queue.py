"""DeviceQueue: the command queue of a device, for any number of threads; its simulated clock runs beside them."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from ...forking import free, free_in_children
from .clock import Clock, Job
from .commands import CommandList
from .times import RunTimes, Utilization

T = TypeVar("T")


class Ticket:
    """A command list in the queue, until ``done`` or ``cancel``.

    Args:
        queue: that has it.
        clock: of the queue, when it was submitted.
        job: the list on the clock.

    Attributes:
        times: what the clock says of it once it is over; None before.
    """

    def __init__(self, queue: DeviceQueue, clock: Clock, job: Job) -> None:
        self.times: RunTimes | None = None
        self._queue = queue
        self._clock = clock
        self._job = job

    def done(self) -> RunTimes:
        """Says that the host has the results: the simulated present is the end of this list, or later."""
        return self._over(Clock.finish)

    def cancel(self) -> RunTimes:
        """Ends the list at the simulated present, for a run that was cancelled or has failed."""
        return self._over(Clock.cancel)

    def _over(self, end: Callable[[Clock, Job], RunTimes]) -> RunTimes:
        if self.times is None:
            self.times = self._queue.call(lambda clock: self._ended(clock, end))
        return self.times

    def _ended(self, clock: Clock, end: Callable[[Clock, Job], RunTimes]) -> RunTimes:
        return end(clock, self._job) if clock is self._clock else self._job.run_times()


class DeviceQueue:
    """Takes the command lists of runs, in the order of the calls.

    The host's threads do the copies and the computing, and take the time that they take; here they say when a run
    begins and when its results are there. What that comes to on the device is the simulated clock's to say: a list is
    submitted at the latest end of those that are done by then, or, of a run that has been on another device before, at
    its end there. Clocks of all devices began at once.

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

    def submit(self, commands: CommandList, ready_us: float = 0.0) -> Ticket:
        """Adds a command list, at ``ready_us`` on the clock at the earliest."""
        return self.call(lambda clock: Ticket(self, clock, clock.submit(commands, ready_us)))

    def call(self, function: Callable[[Clock], T]) -> T:
        """Asks something of the clock, which nobody else uses meanwhile.

        Whoever is interrupted in it leaves a clock that cannot be trusted: another one goes on from the same present,
        on which the lists that were under way are not any more.
        """
        with self._lock:
            try:
                return function(self._clock)
            except BaseException:
                self._clock = Clock(self.dma_engines, self._clock.now)
                raise

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
        return self.call(Clock.utilization)
