"""Measuring several ways of doing the same in turns, so that what else the machine does hits all of them."""

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
"""Turns whose shortest calls tell how far they scatter."""
SURE = 3
"""Rounds that settle what was alike in each of them."""
NOISE = 1.02
"""What is slower by no more is as good."""
LEVEL = 1.01
"""Two whose shortest calls are no further apart are alike: they will hardly be further apart than ``NOISE``."""
STILL = 0.2
"""Of a core: threads of a process that take less do not stand in anybody's way."""
MOST_CALLS = 1_000
"""Of a turn."""
LOOK_SECONDS = 0.004
LOOKS = 25
"""How often is looked whether threads have stopped: for 0.1 s. ONNX Runtime's were seen to spin for 50 ms."""


def rest_until_still(
    seconds: float,
    computed: Callable[[], int] = process_time_ns,
    now: Callable[[], int] = perf_counter_ns,
    wait: Callable[[float], None] = sleep,
) -> None:
    """Waits, and then until the threads of this process have stopped waiting for work, which they do by computing.

    How long runtimes' threads do that is a number of rounds, not a time, so no time is right on each machine. Where
    the process has other work to do, it is ``LOOKS`` looks at most.

    Args:
        seconds: at least.
        computed: nanoseconds that all threads of the process computed.
        now: nanoseconds.
        wait: for seconds.
    """
    wait(seconds)
    for _ in range(LOOKS):
        before, began = computed(), now()
        wait(LOOK_SECONDS)
        if computed() - before < STILL * (now() - began):
            return


@dataclass(frozen=True, slots=True)
class TurnClock:
    """Time: what tests give their own of.

    Attributes:
        now: nanoseconds.
        rest: waits for as many seconds, or longer.
    """

    now: Callable[[], int] = perf_counter_ns
    rest: Callable[[float], None] = rest_until_still


CLOCK = TurnClock()


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """How long is measured.

    Attributes:
        seconds: that a round should take. A turn that has had its share makes one call that counts, and none where the
            one that does not took as long as all may.
        settling: seconds after which no round begins but the first, whatever the rounds have settled so far.
        rounds: at most.
        calls: of each turn, at least.
        turn_seconds: that a turn goes on for, with up to ``MOST_CALLS`` calls. After a rest caches are empty, and
            threads asleep: of calls that take 30 to 80 us, the shortest of 3 was seen to be 5 to 52 % longer than the
            shortest of all, that of 1 ms 2 to 35 %, of 5 ms 1 to 12 %, of 10 ms 1 to 4 % (medians of 25 turns of
            keyword spotting and digits, with two runtimes, one thread and two; once 10 %, however long the turn was).
        rest_seconds: before a turn, at least: then threads of the others have stopped waiting for work.
        hopeless: what is as many times slower than the quickest one gets no turn any more, after two.
        lost: the same after the first one, which something else on the machine may have disturbed.
        cold: the first call may take as many times longer than the quickest one's; then it ends at its next step.
        patience: seconds that any call may take all the same.
        longest: seconds that a call may take while nothing quicker is known, and that ``cold`` is not to exceed.
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
        """Seconds after which a call ends at its next step.

        Args:
            quickest: seconds that the quickest one takes; infinite where none is known.
        """
        if quickest == float("inf"):
            return self.longest
        return max(self.patience, min(self.cold * quickest, max(self.longest, self.hopeless * quickest)))


LIMITS = TurnLimits()
AGAIN = TurnLimits(seconds=0.05, settling=0.1, rounds=5)
"""A few that are close, once more."""


@dataclass(frozen=True, slots=True)
class TurnTime:
    """How long one takes.

    Attributes:
        us: microseconds of the shortest call; infinite where none ended in time.
        spread_us: by how much the shortest call of a turn is usually longer.
        reason: why it has no time, "" where it has one.
        given_up_us: microseconds after which its call ended before it was done; None where that did not happen.
    """

    us: float
    spread_us: float
    reason: str = ""
    given_up_us: float | None = None


Call = Callable[[], object]
"""What is measured."""
Joining = Callable[[Sequence[TurnTime]], Sequence[Call]]
"""Gives more of what is measured, by how long the first ones took in their first turn."""


def all_there(taken: Sequence[TurnTime]) -> Sequence[Call]:
    """Nothing joins."""
    return ()


class _Turns:
    """The turns of one."""

    def __init__(self, call: Call, limits: TurnLimits, clock: TurnClock) -> None:
        self._call, self._limits, self._clock = call, limits, clock
        self._shortest: list[int] = []
        self._calls: list[int] = []
        self.reason = ""
        self._given_up_us: float | None = None

    @property
    def shortest(self) -> float:
        """Nanoseconds."""
        return min(self._shortest, default=float("inf"))

    def is_behind(self, other: _Turns) -> bool:
        """Whether each turn was slower than the other's of the same round, by more than the noise."""
        pairs = list(zip(self._shortest, other._shortest, strict=False))
        return len(pairs) >= SURE and all(mine > NOISE * theirs for mine, theirs in pairs)

    @property
    def taken(self) -> TurnTime:
        """What came out."""
        seen = sorted(self._shortest if len(self._shortest) >= FEW else self._calls)
        few = len(seen) < FEW
        spread = (self._limits.hopeless - 1) * self.shortest if few else seen[len(seen) // 2] - seen[0]
        return TurnTime(self.shortest / NS_PER_US, spread / NS_PER_US, self.reason, self._given_up_us)

    def take(self, quickest: float, share: float) -> None:
        """One turn.

        Args:
            quickest: nanoseconds of the shortest call of all that were measured.
            share: seconds after which there is only one call that counts.
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
            cancel_point()  # whoever waits for all of this may have wanted it
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
        """Whether a turn of these calls, which has taken so long, makes no more of them."""
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
    """How long each takes, and behind them each that joins.

    Each turn begins with a call that does not count, unless it takes so long that there is time for no other one. One
    that raises an error of ours is measured no further, and one whose steps take far longer than the quickest ends.
    What was slower than the quickest in each of ``SURE`` rounds is measured no further either, and where those that
    are left are alike, none is.

    Args:
        calls: what is measured.
        limits: how long.
        clock: time.
        known_us: microseconds of something that is quick.
        joining: is asked once, when each has had a turn; those that it gives take theirs at the end of the same round.
            How long it takes itself does not count.

    Raises:
        RequestCancelled: nobody wants the result any more.
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
    """A turn of some of all."""
    share = limits.seconds / max(len(turns), 1)
    for each in some:
        cancel_point()
        each.take(min(known_us * NS_PER_US, *(one.shortest for one in turns)), share)


def _unsettled(alive: Sequence[_Turns], rounds: int) -> list[_Turns]:
    """Those that more rounds may tell something of: none where all that are left are alike.

    A sequential test on the shortest calls of turns, in pairs of a round, so that what disturbs a round disturbs both.
    """
    quickest = min(alive, key=lambda each: each.shortest, default=None)
    if quickest is None or rounds < SURE:
        return list(alive)
    left = [each for each in alive if not each.is_behind(quickest)]
    return left if any(each.shortest > LEVEL * quickest.shortest for each in left) else []
