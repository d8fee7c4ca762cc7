"""DeviceQueue: the command queue of a device, for any number of threads, with a simulated clock."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TypeVar

from ...basics.forking import free, free_in_children
from .clock import Clock, TimedCommandList
from .commands import CommandList
from .times import RunTimes, Utilization

T = TypeVar("T")


class Ticket:
    """A command list in the queue, until ``done`` or ``cancel``.

    Args:
        queue: that has it.
        clock: of the queue, when it was submitted.
        job: the list on the clock.
    """

    def __init__(self, queue: DeviceQueue, clock: Clock, job: TimedCommandList) -> None:
        self._queue = queue
        self._clock = clock
        self._job = job
        self._times: RunTimes | None = None

    @property
    def is_over(self) -> bool:
        """Whether ``times`` are final."""
        return self._times is not None

    @property
    def times(self) -> RunTimes:
        """The times on the clock; before the end of the run, the times if nothing more is submitted."""
        return self._queue.call(self.foreseen) if self._times is None else self._times

    def done(self) -> RunTimes:
        """Says that the host has the results: the simulated present is the end of this list, or later."""
        return self._queue.call(self.finish) if self._times is None else self._times

    def cancel(self) -> RunTimes:
        """Ends the list at the simulated present, for a run that was cancelled or has failed."""
        return self._queue.call(self.end) if self._times is None else self._times

    def __enter__(self) -> None:
        """The host computes the run in the block."""
        self._queue.under_way.add(self)

    def __exit__(self, *_: object) -> None:
        self._queue.under_way.discard(self)

    def foreseen(self, clock: Clock) -> RunTimes:
        """``times``, for a caller that has the clock."""
        return clock.foreseen(self._job) if clock is self._clock else self._job.run_times()

    def finish(self, clock: Clock) -> RunTimes:
        """``done``, for a caller that has the clock."""
        return self._over(clock, Clock.finish)

    def end(self, clock: Clock) -> RunTimes:
        """``cancel``, for a caller that has the clock."""
        return self._over(clock, Clock.cancel)

    def _over(self, clock: Clock, end: Callable[[Clock, TimedCommandList], RunTimes]) -> RunTimes:
        if self._times is None:
            self._times = end(clock, self._job) if clock is self._clock else self._job.run_times()
        return self._times


class DeviceQueue:
    """Takes the command lists of runs, in the order of the calls.

    The host's threads do the copies and the computing in real time; here they report the begin of a run and the arrival
    of its results. The simulated clock gives the device's times: a list is submitted at the latest end of the lists
    that somebody has waited for by then, or, for a run that has been on another device before, at its end there. The
    clocks of all devices began at once.

    Args:
        dma_engines: the number of the device's DMA engines.

    Attributes:
        dma_engines: as given.
        under_way: the lists that the host has not finished.
        let_go: lists to be ended on the clock before its next use: their owners must not wait for the clock.
    """

    def __init__(self, dma_engines: int = 1) -> None:
        self.dma_engines = dma_engines
        self._renew(Clock(dma_engines))
        self._lock = Lock()
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: no run of the parent goes on here."""
        free(self._lock)
        self._renew(Clock(self.dma_engines))

    def _renew(self, clock: Clock) -> None:
        self._clock = clock
        self.under_way: set[Ticket] = set()
        self.let_go: deque[Callable[[Clock], object]] = deque()

    def submit(self, commands: CommandList, ready_us: float = 0.0) -> Ticket:
        """Adds a command list, at ``ready_us`` on the clock at the earliest."""
        return self.call(lambda clock: Ticket(self, clock, clock.submit(commands, ready_us)))

    def submit_in_turn(self, lists: Sequence[CommandList], ready_us: float = 0.0) -> list[Ticket]:
        """Adds command lists, of which each is submitted at the end of the one before; the first as ``submit`` does."""

        def submitted(clock: Clock) -> list[Ticket]:
            jobs: list[TimedCommandList] = []
            for commands in lists:
                jobs.append(clock.follow(commands, jobs[-1]) if jobs else clock.submit(commands, ready_us))
            return [Ticket(self, clock, job) for job in jobs]

        return self.call(submitted)

    def call(self, function: Callable[[Clock], T]) -> T:
        """Calls a function with the clock, which no other thread uses meanwhile.

        A caller that is interrupted in the function leaves a clock that cannot be trusted: a new clock goes on from
        the same present, without the lists that were under way.
        """
        with self._lock:
            try:
                while self.let_go:
                    self.let_go.popleft()(self._clock)
                return function(self._clock)
            except BaseException:
                self._renew(Clock(self.dma_engines, self._clock.now))
                raise

    @property
    def waiting(self) -> int:
        """The command lists whose runs the host computes."""
        return len(self.under_way)

    @property
    def now_us(self) -> float:
        """The simulated present, in microseconds."""
        return self._clock.now

    def utilization(self) -> Utilization:
        """The use of the engines since this was asked last."""
        return self.call(Clock.utilization)
