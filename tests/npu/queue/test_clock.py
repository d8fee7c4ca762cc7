"""The simulated clock: cases computed by hand, and what holds for any command lists."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.npu.queue import Clock, Command, CommandList, Engine, RunTimes
from lite_delegate.npu.queue.clock import TimedCommandList

UPLOAD, COMPUTE, DOWNLOAD = Engine.UPLOAD, Engine.COMPUTE, Engine.DOWNLOAD


def run_of(
    upload: float, compute: float, download: float, priority: int = 0, share: Fraction = Fraction(1)
) -> CommandList:
    commands = (Command(UPLOAD, upload), Command(COMPUTE, compute, (0,), share), Command(DOWNLOAD, download, (1,)))
    return CommandList(commands, priority)


def in_flight(clock: Clock, runs: Sequence[CommandList], count: int) -> list[RunTimes]:
    """Runs in order, ``count`` of them in flight: the host waits for the oldest before it submits one more."""
    times, waiting = [], deque[TimedCommandList]()
    for commands in runs:
        if len(waiting) == count:
            times.append(clock.finish(waiting.popleft()))
        waiting.append(clock.submit(commands))
    return times + [clock.finish(job) for job in waiting]


def makespan(commands: CommandList, engines: int, count: int, runs: int = 60) -> float:
    """From the first submission to the last end."""
    return max(times.end for times in in_flight(Clock(engines), [commands] * runs, count))


def spans(times: RunTimes, engine: Engine) -> list[tuple[float, float]]:
    return [(each.start, each.end) for each in times.commands if each.engine is engine]


def test_one_at_a_time_waits_for_each_upload():
    times = in_flight(Clock(), [run_of(3, 10, 2)] * 3, 1)
    assert [(t.enqueued, t.end, t.input_wait_us) for t in times] == [(0, 15, 3), (15, 30, 3), (30, 45, 3)]


@pytest.mark.parametrize("engines", [1, 2])
def test_two_in_flight_hide_transfers_behind_computing(engines):
    times = in_flight(Clock(engines), [run_of(3, 10, 2)] * 5, 2)
    assert [t.input_wait_us for t in times] == [3, 0, 0, 0, 0]
    assert [spans(t, COMPUTE)[0][0] for t in times] == [3, 13, 23, 33, 43]


def test_computing_waits_where_transfers_take_longer():
    """One DMA engine: an upload of 10 every 10 us, computing 4 behind each; tiles have been free for 6 then."""
    times = in_flight(Clock(), [run_of(10, 4, 0)] * 6, 3)
    assert [spans(t, COMPUTE) for t in times] == [[(10 * n, 10 * n + 4)] for n in range(1, 7)]
    assert [t.input_wait_us for t in times] == [10, 6, 6, 6, 6, 6]


@pytest.mark.parametrize(("engines", "interval"), [(1, 11), (2, 8), (3, 5), (4, 5)])
def test_the_interval_is_that_of_the_busiest_engine(engines, interval):
    """Uploads of 8 and downloads of 3 in turn on one engine, or each on one; two halve the uploads, 5 is computing."""
    assert makespan(run_of(8, 5, 3), engines, 8, 400) / 400 == pytest.approx(interval, rel=0.01)


def test_higher_priority_goes_first_but_interrupts_nothing():
    clock = Clock(4)
    low = [clock.submit(run_of(1, 10, 0)) for _ in range(2)]
    high = clock.submit(run_of(2, 10, 0, priority=1))
    starts = [spans(clock.finish(job), COMPUTE)[0][0] for job in (low[0], high, low[1])]
    assert starts == [1, 11, 21]


def test_a_later_run_of_higher_priority_passes_those_that_wait():
    clock = Clock(2)
    jobs = [clock.submit(run_of(1, 10, 0)) for _ in range(4)]
    clock.finish(jobs[0])
    urgent = clock.finish(clock.submit(run_of(1, 10, 0, priority=2)))
    assert spans(urgent, COMPUTE) == [(21, 31)]  # behind the one that started at 11
    assert spans(clock.finish(jobs[2]), COMPUTE) == [(31, 41)]


def test_nobody_overtakes_the_first_that_waits_for_tiles():
    clock = Clock(3)
    half, whole = Fraction(1, 2), Fraction(1)
    jobs = [clock.submit(run_of(at, 10, 0, share=share)) for at, share in ((1, half), (2, whole), (3, half))]
    assert [spans(clock.finish(job), COMPUTE)[0] for job in jobs] == [(1, 11), (11, 21), (21, 31)]


def test_halves_run_side_by_side():
    clock = Clock(2)
    jobs = [clock.submit(run_of(1, 10, 0, share=Fraction(1, 2))) for _ in range(3)]
    assert [spans(clock.finish(job), COMPUTE)[0] for job in jobs] == [(1, 11), (2, 12), (11, 21)]


def test_a_cancelled_run_frees_its_engines():
    clock = Clock()
    first = clock.submit(run_of(2, 4, 1))
    long = clock.submit(run_of(2, 100, 1))
    clock.finish(first)  # at 7: the long one computes since 6
    waiting = clock.submit(run_of(2, 3, 1))
    cancelled = clock.cancel(long)
    assert (cancelled.end, cancelled.cancelled, spans(cancelled, COMPUTE)) == (7, True, [(6, 7)])
    assert spans(clock.finish(waiting), COMPUTE) == [(9, 12)]
    assert clock.waiting == 0


def test_use_of_the_engines_since_it_was_asked_last():
    clock = Clock(2)
    clock.finish(clock.submit(run_of(3, 10, 2, share=Fraction(1, 2))))
    use = clock.utilization()
    assert [use.elapsed_us, use.tiles, use.dma] == pytest.approx([15, 5 / 15, 5 / 30])
    assert clock.utilization().elapsed_us == 0
    clock.finish(clock.submit(run_of(0, 10, 0)))
    assert clock.utilization().tiles == 1


def test_commands_that_cannot_be_are_rejected():
    for wrong in (lambda: Command(UPLOAD, -1.0), lambda: Command(COMPUTE, 1.0, share=Fraction(3, 2))):
        with pytest.raises(ValueError, match="A command takes"):
            wrong()
    with pytest.raises(ValueError, match="must wait for commands before it"):
        CommandList((Command(UPLOAD, 1.0, (0,)),))


US = st.integers(0, 20).map(float)


@st.composite
def lists(draw: st.DrawFn) -> CommandList:
    commands: list[Command] = []
    for number in range(draw(st.integers(0, 5))):
        after = tuple(sorted(draw(st.sets(st.integers(0, number - 1), max_size=2)))) if number else ()
        share = Fraction(draw(st.integers(1, 4)), 4)
        commands.append(Command(draw(st.sampled_from(Engine)), draw(US), after, share))
    return CommandList(tuple(commands), draw(st.integers(-1, 1)))


ACTIONS = st.lists(st.one_of(lists(), st.tuples(st.sampled_from(["done", "cancel"]), st.integers(0, 9))), max_size=14)


def played(actions: Sequence[object], engines: int) -> list[tuple[CommandList, RunTimes]]:
    clock, jobs, over = Clock(engines), [], {}
    for action in actions:
        if isinstance(action, CommandList):
            jobs.append((action, clock.submit(action)))
        elif isinstance(action, tuple) and jobs:
            number = action[1] % len(jobs)
            if number not in over:
                over[number] = (clock.finish if action[0] == "done" else clock.cancel)(jobs[number][1])
    for number, (_, job) in enumerate(jobs):
        over[number] = clock.finish(job) if number not in over else over[number]
    assert clock.waiting == 0
    return [(commands, over[number]) for number, (commands, _) in enumerate(jobs)]


@given(ACTIONS, st.integers(1, 3))
def test_engines_hold_one_command_and_nothing_starts_before_its_inputs(actions, engines):
    runs = played(actions, engines)
    for commands, times in runs:
        started = [each.start for each in times.commands]
        assert all(start >= times.enqueued for start in started)
        assert all(each.end <= times.end for each in times.commands)
        if not times.cancelled:
            assert len(times.commands) == len(commands.commands)
            for command, each in zip(commands.commands, times.commands, strict=True):
                assert each.end == each.start + command.us
                assert all(times.commands[earlier].end <= each.start for earlier in command.after)
    transfers = [each for _, times in runs for each in times.commands if each.engine is not COMPUTE]
    for a, b in combinations(transfers, 2):
        assert a.number != b.number or a.end <= b.start or b.end <= a.start
    computing = [
        (each.start, each.end, command.share)
        for commands, times in runs
        if not times.cancelled
        for command, each in zip(commands.commands, times.commands, strict=True)
        if each.engine is COMPUTE
    ]
    for at, _, _ in computing:
        assert sum(share for start, end, share in computing if start <= at < end) <= 1


@given(ACTIONS, st.integers(1, 3))
def test_the_same_submissions_give_the_same_times(actions, engines):
    assert played(actions, engines) == played(actions, engines)


def test_a_list_that_is_ready_later_is_submitted_then_and_not_before_the_present():
    clock = Clock()
    busy = clock.submit(CommandList((Command(COMPUTE, 10.0),)))
    later = clock.submit(CommandList((Command(COMPUTE, 5.0),)), 7.0)
    assert clock.now == 7.0
    assert (clock.finish(busy).end, later.enqueued) == (10.0, 7.0)
    assert clock.finish(later).end == 15.0
    assert clock.submit(CommandList((Command(COMPUTE, 1.0),)), 3.0).enqueued == 15.0


@given(st.lists(st.lists(lists(), min_size=1, max_size=3), min_size=1, max_size=4), st.integers(1, 3))
def test_a_list_that_follows_another_is_submitted_at_its_end_and_foreseen_as_it_comes(chains, engines):
    clock, found = Clock(engines), []
    for chain in chains:
        jobs = [clock.submit(chain[0])]
        for commands in chain[1:]:
            jobs.append(clock.follow(commands, jobs[-1]))
        found.append(jobs)
    foreseen = [[clock.foreseen(job) for job in jobs] for jobs in found]
    assert clock.now == 0.0
    for jobs, expected in zip(found, foreseen, strict=True):
        times = [clock.finish(job) for job in jobs]
        assert times == expected
        assert all(after.enqueued == before.end for before, after in pairwise(times))
    assert clock.waiting == 0


class Stepping(Clock):
    """Goes through each event, also of a run that is alone."""

    def submit(self, commands, ready_us=0.0):
        job = super().submit(commands, ready_us)
        self._share()
        return job


STAGED = st.builds(
    lambda uploads, compute, downloads: CommandList((
        *(Command(UPLOAD, us) for us in uploads),
        Command(COMPUTE, compute, tuple(range(len(uploads)))),
        *(Command(DOWNLOAD, us, (len(uploads),)) for us in downloads),
    )),
    st.lists(US, max_size=4), US, st.lists(US, max_size=4),
)  # fmt: skip


@given(st.lists(st.tuples(STAGED, st.integers(1, 3)), max_size=6), st.integers(1, 4))
def test_runs_that_are_alone_pass_as_step_by_step(rounds, engines):
    """One or several at a time, so that the short way comes before and after the long one."""
    found = []
    for clock in (Clock(engines), Stepping(engines)):
        times = [t for commands, count in rounds for t in in_flight(clock, [commands] * count, count)]
        use = clock.utilization()
        found.append((times, clock.now, [round(each, 6) for each in (use.elapsed_us, use.tiles, use.dma)]))
    assert found[0] == found[1]


@given(US, US, US, st.integers(1, 3))
def test_more_requests_never_make_the_interval_longer(upload, compute, download, engines):
    """Sixty runs take no longer with more of them in flight, and with many as long as the busiest engine needs."""
    commands = run_of(upload, compute, download)
    times = [makespan(commands, engines, count) for count in range(1, 8)]
    assert all(more <= fewer + 1e-9 for fewer, more in pairwise(times))
    alone = upload + compute + download
    assert times[-1] <= 60 * max(compute, *transfers_of(upload, download, engines)) * 1.05 + 2 * alone


def transfers_of(upload: float, download: float, engines: int) -> tuple[float, ...]:
    """What each engine has to do for a run: one alone does all; of three two upload."""
    return {1: (upload + download,), 2: (upload, download), 3: (upload / 2, download)}[engines]
