"""Clock: the times of commands on engines that work in parallel; a simulation of events, without threads."""

from __future__ import annotations

from bisect import bisect_right
from copy import deepcopy
from dataclasses import field
from fractions import Fraction

from ...basics.data_class import dataclass
from .commands import Command, CommandList, Engine
from .times import CommandTimes, RunTimes, Utilization


@dataclass(eq=False, slots=True)
class TimedCommandList:
    """A command list on the clock.

    Attributes:
        commands: the commands of the list.
        priority: the priority of the list.
        number: its place in the order of submission.
        enqueued: the time of submission; for a follower the end of the list before it.
        alone: whether no other list has been on the clock since.
        times: the times of each command that has started.
        end: the time when all commands were done; None before.
        follower: the list that is submitted when this list ends.
    """

    commands: tuple[Command, ...]
    priority: int
    number: int
    enqueued: float
    times: dict[int, CommandTimes] = field(default_factory=dict)
    end: float | None = None
    cancelled: bool = False
    alone: bool = False
    ended: set[int] = field(default_factory=set)
    ready: dict[int, float] = field(default_factory=dict)
    follower: TimedCommandList | None = None

    def run_times(self) -> RunTimes:
        """Its times so far; ``end`` is the time of its last event where it is not done."""
        end = max((each.end for each in self.times.values()), default=self.enqueued) if self.end is None else self.end
        return RunTimes(self.enqueued, end, tuple(self.times[n] for n in sorted(self.times)), self.cancelled)


class Clock:
    """Starts each command when the commands before it have ended and an engine is free.

    1. An engine holds one command at a time; computations run side by side where their shares fit. Of several DMA
       engines half (one more, if odd) upload and the others download, so that neither direction holds up the other.
    2. Among commands that wait for an engine, higher priority comes first, then the longer wait, then the earlier
       submission. No command overtakes the first that waits for tiles. Running commands are not interrupted.
    3. The time never goes back; commands are submitted at the present.
    4. The same calls in the same order give the same times.

    Args:
        dma_engines: the number of the device's DMA engines, 1 or more.
        now: the present to begin with, in microseconds.

    Attributes:
        now: the present, in microseconds: the latest end of a run that somebody has waited for.
    """

    def __init__(self, dma_engines: int = 1, now: float = 0.0) -> None:
        self.now = now
        self._time = now
        self._jobs: list[TimedCommandList] = []
        self._count = 0
        self._dma: list[tuple[TimedCommandList, int] | None] = [None] * dma_engines
        self._engines = engines_for(dma_engines)
        self._tiles: list[tuple[TimedCommandList, int]] = []
        self._levels: list[tuple[float, Fraction]] = [(now, Fraction(0))]
        self._busy = dict.fromkeys(Engine, 0.0)
        self._read = (now, 0.0, 0.0)

    @property
    def waiting(self) -> int:
        """The command lists that are not done."""
        return len(self._jobs)

    def submit(self, commands: CommandList, ready_us: float = 0.0) -> TimedCommandList:
        """Adds a command list at the present; at ``ready_us`` where that is later, which is the present then."""
        self._share()
        self.now = max(self.now, ready_us)
        self._run_until(self.now)
        job = TimedCommandList(commands.commands, commands.priority, self._count, self.now)
        self._count += 1
        job.alone = commands.is_staged and not self._jobs
        self._jobs.append(job)
        if not job.alone:
            self._look(job, self.now)
        return job

    def follow(self, commands: CommandList, before: TimedCommandList) -> TimedCommandList:
        """Adds a command list that is submitted when another one ends, which has been submitted at this present."""
        if before.end is not None:
            return self.submit(commands)
        self._share()
        job = before.follower = TimedCommandList(commands.commands, commands.priority, self._count, self.now)
        self._count += 1
        return job

    def _share(self) -> None:
        """Somebody else looks at the clock than the run that has it alone."""
        if self._jobs and self._jobs[0].alone:
            self._jobs[0].alone = False
            self._look(self._jobs[0], self.now)

    def finish(self, job: TimedCommandList) -> RunTimes:
        """Lets the time pass until a command list is done, and gives its times."""
        if job.alone:
            self._pass(job)
        while job.end is None:
            self._step()
        self.now = max(self.now, job.end)
        return job.run_times()

    def foreseen(self, job: TimedCommandList) -> RunTimes:
        """The times of a command list if no further list is submitted; the clock itself stays as it is."""
        if job.end is not None:
            return job.run_times()
        clock, same = deepcopy((self, job))
        return clock.finish(same)

    def cancel(self, job: TimedCommandList) -> RunTimes:
        """Ends a command list at the present: running commands free their engines, other commands never start."""
        self._share()
        self._run_until(self.now)
        if job.end is None:
            job.cancelled = True
            for number in [n for n in job.times if n not in job.ended]:
                self._end(job, number, self.now)
            if job in self._jobs:
                self._close(job, self.now)
            else:  # it was to follow one that has not ended
                job.enqueued = job.end = self.now
        return job.run_times()

    def _pass(self, job: TimedCommandList) -> None:
        """Lets the time pass until a run is done that has the clock alone: the result of the steps, without them."""
        job.alone, free = False, [job.enqueued] * len(self._dma)
        held: set[int] = set()  # transfers that start at one time, transfers without duration among them
        since = job.enqueued
        for number, command in enumerate(job.commands):
            ready = max((job.times[earlier].end for earlier in command.after), default=job.enqueued)
            engine, wait, start = 0, 0.0, ready
            if command.engine is Engine.COMPUTE:
                wait = ready - job.enqueued
                self._busy[Engine.COMPUTE] += float(command.share) * command.us
                self._levels = [(ready + command.us, Fraction(0))]
            else:
                engines = self._engines[command.engine]
                start = max(ready, min(free[each] for each in engines))
                held = held if start == since else set()
                idle = [each for each in engines if free[each] <= start]
                engine = next((each for each in idle if each not in held), idle[0])
                held = {engine} if engine in held else {*held, engine}
                since = start
                free[engine] = start + command.us
                self._busy[command.engine] += command.us
            end = start + command.us
            job.times[number] = CommandTimes(command.engine, engine, start, end, wait, command.nbytes)
            job.end = end if job.end is None else max(end, job.end)
        self._time = max(self._time, self.now if job.end is None else job.end)
        self._jobs.remove(job)

    def utilization(self) -> Utilization:
        """The use of the engines since this was asked last, up to the present."""
        self._run_until(self.now)
        tiles, dma = self._busy_until(self.now)
        since, tiles_before, dma_before = self._read
        elapsed = self.now - since
        self._read = (self.now, tiles, dma)
        if elapsed <= 0:
            return Utilization(0.0, 0.0, 0.0)
        shares = (tiles - tiles_before) / elapsed, (dma - dma_before) / elapsed / len(self._dma)
        return Utilization(elapsed, *(min(share, 1.0) for share in shares))  # sums of times are rounded

    def _busy_until(self, time: float) -> tuple[float, float]:
        tiles, dma = self._busy[Engine.COMPUTE], self._busy[Engine.UPLOAD] + self._busy[Engine.DOWNLOAD]
        for job, number in self._tiles:
            tiles += float(job.commands[number].share) * (time - job.times[number].start)
        for held in self._dma:
            if held is not None:
                dma += time - held[0].times[held[1]].start
        return tiles, dma

    def _run_until(self, time: float) -> None:
        """Handles all events before a time, and the ends of commands at this time; no command starts at it yet."""
        while self._jobs:
            self._end_due()
            if self._time >= time:
                return
            if not self._start_due():
                coming = self._next_end()
                self._time = time if coming is None else min(coming, time)
        self._time = max(self._time, time)

    def _step(self) -> None:
        """Handles the due events, or lets the time pass to the next event."""
        if self._end_due() or self._start_due():
            return
        coming = self._next_end()
        assert coming is not None  # some job waits, and the first one can always start once the engines are free
        self._time = coming

    def _next_end(self) -> float | None:
        return min((job.times[number].end for job, number in self._running()), default=None)

    def _running(self) -> list[tuple[TimedCommandList, int]]:
        return [*(held for held in self._dma if held is not None), *self._tiles]

    def _end_due(self) -> bool:
        due = [(job, number) for job, number in self._running() if job.times[number].end <= self._time]
        for job, number in due:
            self._end(job, number, job.times[number].end)
            self._look(job, self._time)
        return bool(due)

    def _end(self, job: TimedCommandList, number: int, time: float) -> None:
        """Frees the engine of a command."""
        given, command = job.times[number], job.commands[number]
        if time != given.end:
            nbytes = 0 if command.engine is not Engine.COMPUTE else given.nbytes
            given = CommandTimes(given.engine, given.number, given.start, time, given.input_wait_us, nbytes)
            job.times[number] = given
        job.ended.add(number)
        share = command.share if command.engine is Engine.COMPUTE else 1
        self._busy[command.engine] += float(share) * (given.end - given.start)
        if command.engine is Engine.COMPUTE:
            self._tiles.remove((job, number))
            self._level(given.end)
        else:
            self._dma[given.number] = None

    def _look(self, job: TimedCommandList, time: float) -> None:
        """Notes which commands of a job can start now; closes it where all have ended."""
        for number, command in enumerate(job.commands):
            if number not in job.times and number not in job.ready and job.ended.issuperset(command.after):
                job.ready[number] = time
        if len(job.ended) == len(job.commands):
            self._close(job, time)

    def _close(self, job: TimedCommandList, time: float) -> None:
        job.end = time
        self._jobs.remove(job)
        follower = job.follower
        if follower is not None and not follower.cancelled:
            follower.enqueued = time
            self._jobs.append(follower)
            self._look(follower, time)
        oldest = min((each.enqueued for each in self._jobs), default=time)
        del self._levels[: max(0, bisect_right(self._levels, oldest, key=lambda level: level[0]) - 1)]

    def _start_due(self) -> bool:
        """Starts the waiting commands that find an engine; False where none does."""
        waiting = sorted(
            (-job.priority, since, job.number, number, job) for job in self._jobs for number, since in job.ready.items()
        )  # job numbers differ, so jobs are never compared
        started = self._start_computations([(j, n) for _, _, _, n, j in waiting if _is_computing(j, n)])
        for *_, number, job in waiting:
            if _is_computing(job, number):
                continue
            engines = self._engines[job.commands[number].engine]
            free = next((engine for engine in engines if self._dma[engine] is None), None)
            if free is not None:
                self._dma[free] = (job, number)
                self._start(job, number, free, 0.0)
                started = True
        return started

    def _start_computations(self, waiting: list[tuple[TimedCommandList, int]]) -> bool:
        for count, (job, number) in enumerate(waiting):
            share = job.commands[number].share
            if self._levels[-1][1] + share > 1:
                return count > 0
            wait = self._input_wait(job, number, share)
            self._tiles.append((job, number))
            self._start(job, number, 0, wait)
            self._level(self._time)
        return bool(waiting)

    def _start(self, job: TimedCommandList, number: int, engine: int, wait: float) -> None:
        command = job.commands[number]
        del job.ready[number]
        end = self._time + command.us
        job.times[number] = CommandTimes(command.engine, engine, self._time, end, wait, command.nbytes)

    def _input_wait(self, job: TimedCommandList, number: int, share: Fraction) -> float:
        """The time that tiles were free for a computation, from its submission on, before its uploads had ended."""
        uploads = (n for n in job.commands[number].after if job.commands[n].engine is Engine.UPLOAD)
        arrival = max((job.times[n].end for n in uploads), default=0.0)
        free = job.enqueued
        for (_, level), (until, _) in zip(reversed(self._levels[:-1]), reversed(self._levels[1:]), strict=True):
            if level + share > 1:
                free = max(free, until)
                break
        return max(0.0, arrival - free)

    def _level(self, time: float) -> None:
        """Notes how much of the tiles is taken from a time on."""
        level = sum((job.commands[number].share for job, number in self._tiles), Fraction(0))
        if self._levels[-1][0] == time:
            self._levels[-1] = (time, level)
        else:
            self._levels.append((time, level))


def engines_for(count: int) -> dict[Engine, range]:
    """The DMA engines for each direction, by number, of ``count`` engines."""
    up = range(-(-count // 2))
    return {Engine.UPLOAD: up, Engine.DOWNLOAD: range(len(up), count) if count > 1 else up}


def _is_computing(job: TimedCommandList, number: int) -> bool:
    return job.commands[number].engine is Engine.COMPUTE
