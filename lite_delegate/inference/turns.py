"""Measuring several ways of doing the same in turns, so that what else the machine does hits all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter_ns, sleep

from ..data_class import dataclass

_NS_PER_US = 1_000
SECONDS_PER_NS = 1e-9


@dataclass(frozen=True, slots=True)
class TurnClock:
    """Time: what tests give their own of.

    Attributes:
        now: nanoseconds.
        rest: waits for as many seconds.
    """

    now: Callable[[], int] = perf_counter_ns
    rest: Callable[[float], None] = sleep


CLOCK = TurnClock()


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """How long is measured.

    Attributes:
        seconds: no round begins after as many, but for the first.
        rounds: at most.
        calls: of each turn.
        rest_seconds: before a turn, in which threads of the others stop waiting for work.
        hopeless: what is as many times slower than the quickest one gets no turn any more.
    """

    seconds: float = 0.3
    rounds: int = 8
    calls: int = 3
    rest_seconds: float = 0.01
    hopeless: float = 1.3


LIMITS = TurnLimits()


def measured_us(
    calls: Sequence[Callable[[], object]], limits: TurnLimits = LIMITS, clock: TurnClock = CLOCK
) -> list[float]:
    """Microseconds of the shortest call of each.

    Each turn begins with a call that does not count, unless it takes so long that there is time for no other one.

    Raises:
        Exception: what a call raises.
    """
    started = clock.now()
    best = [float("inf")] * len(calls)
    alive = list(range(len(calls)))
    for _ in range(limits.rounds):
        for i in alive:
            clock.rest(limits.rest_seconds)
            best[i] = min(best[i], _turn(calls[i], limits, clock))
        quickest = min(best)
        alive = [i for i in alive if best[i] <= limits.hopeless * quickest]
        if len(alive) == 1 or (clock.now() - started) * SECONDS_PER_NS >= limits.seconds:
            break
    return best


def _turn(call: Callable[[], object], limits: TurnLimits, clock: TurnClock) -> float:
    """The shortest of the calls of a turn, in microseconds."""
    first = _one(call, clock)
    if first * SECONDS_PER_NS * limits.calls > limits.seconds:
        return first / _NS_PER_US
    return min(_one(call, clock) for _ in range(limits.calls)) / _NS_PER_US


def _one(call: Callable[[], object], clock: TurnClock) -> int:
    started = clock.now()
    call()
    return clock.now() - started
