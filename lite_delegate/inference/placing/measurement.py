"""The measurement of several plans in turns, so that other work of the machine disturbs all plans alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter_ns, process_time_ns, sleep

from ...basics.data_class import dataclass
from ...basics.failures import said
from ...delegate import cancel_point
from ...errors import LiteDelegateError, RequestCancelled
from ..running.deadline import ending

NS_PER_US = 1_000
NS_PER_SECOND = 1_000_000_000
FEW = 2
"""The number of turns from which the scatter of their shortest calls is known."""
SURE = 3
"""The number of rounds with an equal order that settles the order."""
NOISE = 1.02
"""The factor up to which a longer time counts as equal."""
LEVEL = 1.01
"""The factor between the shortest calls of two plans up to which they are alike."""
STILL = 0.2
"""The share of a core up to which the threads of the process do not disturb a measurement."""
MOST_CALLS = 1_000
"""The maximum number of calls in a turn."""
LOOK_SECONDS = 0.004
LOOKS = 25
"""The number of checks whether threads have stopped: for 0.1 s. Threads of ONNX Runtime were seen to spin for 50 ms."""


def rest_until_still(
    seconds: float,
    computed: Callable[[], int] = process_time_ns,
    now: Callable[[], int] = perf_counter_ns,
    wait: Callable[[float], None] = sleep,
) -> None:
    """Waits some seconds, then until the threads of the process have stopped spinning for work.

    Threads of runtimes spin for a number of rounds, so their time depends on the machine. In a process with other work
    the wait ends after ``LOOKS`` checks.

    Args:
        seconds: of the wait, at least.
        computed: gives the nanoseconds that all threads of the process computed.
        now: gives nanoseconds.
        wait: waits for seconds.
    """
    wait(seconds)
    for _ in range(LOOKS):
        before, began = computed(), now()
        wait(LOOK_SECONDS)
        if computed() - before < STILL * (now() - began):
            return


@dataclass(frozen=True, slots=True)
class TurnClock:
    """The clock of a measurement, which tests replace.

    Attributes:
        now: gives nanoseconds.
        rest: waits for some seconds, or longer.
    """

    now: Callable[[], int] = perf_counter_ns
    rest: Callable[[float], None] = rest_until_still


CLOCK = TurnClock()


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """The limits of a measurement.

    Attributes:
        seconds: of a round. A turn makes one counted call after its share of them, and no counted call where its
            uncounted first call took the seconds of a round.
        settling: the seconds after which no further round begins, whatever the rounds have settled so far.
        rounds: the maximum number.
        calls: of each turn, at least.
        turn_seconds: the length of a turn, with up to ``MOST_CALLS`` calls. After a rest caches are empty, and threads
            asleep: for calls of 30 to 80 us, the shortest of 3 calls was 5 to 52 % longer than the shortest of all
            calls, the shortest in 1 ms 2 to 35 %, in 5 ms 1 to 12 %, in 10 ms 1 to 4 % (medians of 25 turns of keyword
            spotting and digits, with two runtimes, one thread and two; once 10 %, whatever the length of the turn).
        rest_seconds: the rest before a turn, at least, in which threads of other plans stop waiting for work.
        hopeless: the factor of the quickest time from which a plan gets no further turn after two turns.
        lost: the factor after the first turn, which other work of the machine may have disturbed.
        cold: the factor of the quickest time after which a first call ends at its next step.
        patience: the seconds that any call may take.
        longest: the seconds that a call may take without a known time, and the limit of ``cold``.
    """

    seconds: float = 0.1
    settling: float = 0.25
    rounds: int = 8
    calls: int = 3
    turn_seconds: float = 0.01
    rest_seconds: float = 0.01
    hopeless: float = 1.3
    lost: float = 2.5
    cold: float = 4.0
    patience: float = 0.05
    longest: float = 1.0

    def may_take(self, quickest: float) -> float:
        """The seconds after which a call ends at its next step.

        Args:
            quickest: the seconds of the quickest call; infinite where unknown.
        """
        if quickest == float("inf"):
            return self.longest
        return max(self.patience, min(self.cold * quickest, max(self.longest, self.hopeless * quickest)))


LIMITS = TurnLimits()
AGAIN = TurnLimits(seconds=0.05, settling=0.1, rounds=5)
"""The limits of a second measurement of a few close plans."""


@dataclass(frozen=True, slots=True)
class TurnTime:
    """The time of a call.

    Attributes:
        us: microseconds of the shortest call; infinite where no call ended in time.
        spread_us: the usual excess of a turn's shortest call over the shortest call of all turns.
        reason: why the time is unknown; "" for a known time.
        given_up_us: the microseconds after which the call was ended early; None for a complete call.
    """

    us: float
    spread_us: float
    reason: str = ""
    given_up_us: float | None = None


Call = Callable[[], object]
"""A call that is measured."""
Joining = Callable[[Sequence[TurnTime]], Sequence[Call]]
"""Gives more calls to measure, for the times of the first calls in their first turn."""


def all_there(taken: Sequence[TurnTime]) -> Sequence[Call]:
    """No call joins."""
    return ()


class _Turns:
    """The turns of one call."""

    def __init__(self, call: Call, limits: TurnLimits, clock: TurnClock) -> None:
        self._call, self._limits, self._clock = call, limits, clock
        self._shortest: list[int] = []
        self._calls: list[int] = []
        self.reason = ""
        self._given_up_us: float | None = None

    @property
    def shortest(self) -> float:
        """The nanoseconds of the shortest call; infinite where no call ended in time."""
        return min(self._shortest, default=float("inf"))

    def is_behind(self, other: _Turns) -> bool:
        """Whether each turn was slower than the other call's turn in the same round, by more than the noise."""
        pairs = list(zip(self._shortest, other._shortest, strict=False))
        return len(pairs) >= SURE and all(mine > NOISE * theirs for mine, theirs in pairs)

    @property
    def taken(self) -> TurnTime:
        """The measured time."""
        seen = sorted(self._shortest if len(self._shortest) >= FEW else self._calls)
        few = len(seen) < FEW
        spread = (self._limits.hopeless - 1) * self.shortest if few else seen[len(seen) // 2] - seen[0]
        return TurnTime(self.shortest / NS_PER_US, spread / NS_PER_US, self.reason, self._given_up_us)

    def take(self, quickest: float, share: float) -> None:
        """Takes one turn.

        Args:
            quickest: the nanoseconds of the shortest of all measured calls.
            share: the seconds after which the turn has one counted call only.
        """
        limits, clock = self._limits, self._clock
        clock.rest(limits.rest_seconds)
        longest = round(limits.may_take(quickest / NS_PER_SECOND) * NS_PER_SECOND)
        began = clock.now()
        times: list[int] = []
        try:
            first = self._one(longest)
            if first <= limits.seconds * NS_PER_SECOND:
                while not self._is_over(times, (clock.now() - began) / NS_PER_SECOND, share):
                    times.append(self._one(longest))
        except RequestCancelled:
            cancel_point()  # raises if the whole compilation was cancelled
            if not self._shortest:
                known = "" if quickest == float("inf") else f": the quickest takes {quickest / NS_PER_US:,.1f}"
                self._given_up_us = longest / NS_PER_US
                self.reason = f"given up after {self._given_up_us:,.1f} us{known}"
            return
        except LiteDelegateError as e:
            self.reason = said(e)
            return
        times = times or [first]
        self._calls += times
        self._shortest.append(min(times))

    def _is_over(self, times: Sequence[int], seconds: float, share: float) -> bool:
        """Whether a turn with these call times is over after so many seconds."""
        has_all = len(times) >= self._limits.calls and seconds >= self._limits.turn_seconds
        return bool(times) and (has_all or seconds > share or len(times) >= MOST_CALLS)

    def _one(self, longest: int) -> int:
        started = self._clock.now()
        with ending(started + longest, self._clock.now):
            self._call()
        return self._clock.now() - started


def measured(
    calls: Sequence[Call],
    limits: TurnLimits = LIMITS,
    clock: TurnClock = CLOCK,
    known_us: float = float("inf"),
    joining: Joining = all_there,
) -> list[TurnTime]:
    """The time of each call, followed by the times of the calls that join.

    The first call of a turn does not count, unless the time allows no second call. A call that raises an error of the
    library is not measured further, and a call that takes far longer than the quickest is ended. A call that was slower
    than the quickest in each of ``SURE`` rounds is not measured further, and the measurement ends when all remaining
    calls are alike.

    Args:
        calls: the calls to measure.
        limits: of the measurement.
        clock: of the measurement.
        known_us: the microseconds of a known quick call.
        joining: called once, after the first turn of each call; the joining calls have their first turn at the end of
            the same round. The time of ``joining`` itself does not count.

    Raises:
        RequestCancelled: the compilation was cancelled.
    """
    began, turns = clock.now(), [_Turns(call, limits, clock) for call in calls]
    _take_round(turns, turns, limits, known_us)
    asked = clock.now()
    late = [_Turns(call, limits, clock) for call in joining([each.taken for each in turns])]
    began += clock.now() - asked
    turns += late
    _take_round(late, turns, limits, known_us)
    alive = turns
    for number in range(limits.rounds):
        if number:
            _take_round(alive, turns, limits, known_us)
        longest = (limits.hopeless if number else limits.lost) * min((each.shortest for each in turns), default=0.0)
        alive = [each for each in alive if not each.reason and each.shortest <= longest]
        alive = _unsettled(alive, number + 1)
        if len(alive) <= 1 or clock.now() - began >= limits.settling * NS_PER_SECOND:
            break
    return [each.taken for each in turns]


def _take_round(some: Sequence[_Turns], turns: Sequence[_Turns], limits: TurnLimits, known_us: float) -> None:
    """Takes a turn of some of the calls."""
    share = limits.seconds / max(len(turns), 1)
    for each in some:
        cancel_point()
        each.take(min(known_us * NS_PER_US, *(one.shortest for one in turns)), share)


def _unsettled(alive: Sequence[_Turns], rounds: int) -> list[_Turns]:
    """The calls that need more rounds; empty where all remaining calls are alike.

    A sequential test on the shortest calls of turns, in pairs of one round, so that a disturbance affects both alike.
    """
    quickest = min(alive, key=lambda each: each.shortest, default=None)
    if quickest is None or rounds < SURE:
        return list(alive)
    left = [each for each in alive if not each.is_behind(quickest)]
    return left if any(each.shortest > LEVEL * quickest.shortest for each in left) else []
