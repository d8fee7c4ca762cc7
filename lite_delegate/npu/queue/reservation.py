"""Reservation: the place of a started run in a device's queue, whichever thread computes it, and when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from ...delegate.answers.device_run import DeviceRun
from ...delegate.calls.spans import current_clock
from .clock import Clock
from .commands import CommandList
from .device_runs import device_run
from .queue import DeviceQueue, Ticket
from .times import RunTimes


class ReservationOwner(Protocol):
    """A graph kernel that has parts of a run."""

    name: str

    def log_run(self, number: int, times: RunTimes) -> None:
        """Tells when one of its parts ran."""


class Part:
    """A part of a run, in the order of the device.

    Args:
        owner: the graph kernel.
        number: the number of the part in the graph kernel.
        program: the program of the part.
        ticket: its command list in the queue.

    Attributes:
        has_run: whether the device gave its results.
    """

    def __init__(self, owner: ReservationOwner, number: int, program: object, ticket: Ticket) -> None:
        self.owner = owner
        self.number = number
        self.program = program
        self.ticket = ticket
        self.has_run = False

    def __enter__(self) -> None:
        """The host computes it in the block."""
        self.ticket.__enter__()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.ticket.__exit__()
        self.has_run = kind is None


class Reservation:
    """The command lists of a run in a device's queue, each behind the one before, until the run is waited for.

    They were submitted when it was started. Workers only note which parts have run; the simulated present moves on
    in the calls of whoever started the run (``finish``, ``settle``), so that times do not depend on the host's threads.

    Args:
        queue: of the device.
        parts: in order, one at least.
    """

    def __init__(self, queue: DeviceQueue, parts: Sequence[Part]) -> None:
        self._queue = queue
        self._parts = parts
        self._is_settled = self._is_logged = False

    def part(self, program: object) -> Part | None:
        """The part that is computed by a program; None where it has none."""
        return next((part for part in self._parts if part.program is program), None)

    def finish(self) -> None:
        """The simulated present is at least the end of the whole run, whether the host has computed it or not."""
        self._queue.call(self._finished)
        self._log()

    def settle(self) -> float:
        """Ends a reservation whose run is over. The parts that have run pass; parts behind them are taken back.

        Returns:
            The end of the parts that have run, in simulated microseconds; 0 where none has.
        """
        if not self._is_settled:
            self._is_settled = True
            self._queue.call(self._ending(self._ran))
            self._log()
        return max((part.ticket.times.end for part in self._parts if part.has_run), default=0.0)

    def withdraw(self) -> None:
        """Ends a cancelled run at the simulated present. Takes no lock: see ``CancelToken``."""
        self._queue.let_go.append(self._ending(0))

    def runs(self) -> tuple[DeviceRun, ...]:
        """The device's runs of the reservation; for a run that nobody has waited for, the foreseen times."""
        found = []
        for part in self._parts:
            if not part.has_run and not part.ticket.is_over:
                continue
            times = part.ticket.times
            if part.has_run or times.commands:
                times = times if part.has_run else replace(times, cancelled=True)
                found.append(device_run(part.owner.name, times))
        return tuple(found)

    def _log(self) -> None:
        if not self._is_logged:
            self._is_logged = True
            for part in self._parts:
                if part.ticket.times.commands:
                    part.owner.log_run(part.number, part.ticket.times)

    def _finished(self, clock: Clock) -> None:
        for part in self._parts:
            part.ticket.finish(clock)

    @property
    def _ran(self) -> int:
        """The number of parts up to the last that has run."""
        return max((count for count, part in enumerate(self._parts, 1) if part.has_run), default=0)

    def _ending(self, ran: int) -> Callable[[Clock], None]:
        """A function that ends the run on the clock; it keeps neither this nor graph kernels alive."""
        return partial(_end, [part.ticket for part in self._parts], ran)

    def __del__(self) -> None:
        if not self._is_settled:  # nobody has waited for it
            self._queue.let_go.append(self._ending(self._ran))


def _end(tickets: Sequence[Ticket], ran: int, clock: Clock) -> None:
    """Lets the tickets that ran pass; the other tickets end at the present."""
    for ticket in tickets[:ran]:
        ticket.finish(clock)
    for ticket in reversed(tickets[ran:]):  # none follows one that has ended
        ticket.end(clock)


def reserve(
    queue: DeviceQueue, owed: Sequence[tuple[ReservationOwner, int, object, CommandList]], ready_us: float
) -> Reservation:
    """Takes the place of a run behind all earlier submissions.

    Args:
        queue: the queue of the device.
        owed: for each part the graph kernel, its number there, its program, and its commands; at least one part.
        ready_us: simulated time before which it cannot begin.
    """
    tickets = queue.submit_in_turn([commands for *_, commands in owed], ready_us)
    given = zip(owed, tickets, strict=True)
    parts = [Part(owner, number, program, ticket) for (owner, number, program, _), ticket in given]
    return Reservation(queue, parts)


def reserved_part(program: object) -> Part | None:
    """The part that is computed by a program, of the run that this thread computes; None where nothing is reserved."""
    reservation = getattr(current_clock(), "reservation", None)
    return reservation.part(program) if isinstance(reservation, Reservation) else None
