"""Measuring in turns, on a clock of the test's own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lite_delegate.inference.turns import TurnClock, TurnLimits, measured_us

US, SECOND = 1_000, 1_000_000_000


class Time:
    """A clock that stands still but for what calls and rests take."""

    def __init__(self) -> None:
        self.ns = 0
        self.called: list[str] = []

    @property
    def clock(self) -> TurnClock:
        return TurnClock(lambda: self.ns, self.rest)

    def rest(self, seconds: float) -> None:
        self.ns += round(seconds * SECOND)

    def call(self, name: str, *durations_us: int) -> Callable[[], None]:
        """What takes as long as the durations say, one call after the other, the last one from then on."""
        left = list(durations_us)

        def run() -> None:
            self.called.append(name)
            self.ns += US * (left.pop(0) if len(left) > 1 else left[0])

        return run


def test_the_shortest_call_counts_and_the_first_of_a_turn_does_not() -> None:
    time = Time()
    calls = [time.call("a", 5, 30, 20, 40), time.call("b", 25)]
    assert measured_us(calls, TurnLimits(rounds=1), time.clock) == [20, 25]
    assert time.called == ["a"] * 4 + ["b"] * 4


def test_calls_come_in_turns_until_the_rounds_are_over() -> None:
    time = Time()
    measured_us([time.call("a", 10), time.call("b", 11)], TurnLimits(rounds=2, calls=1), time.clock)
    assert time.called == ["a", "a", "b", "b"] * 2


def test_what_is_hopeless_gets_one_turn() -> None:
    time = Time()
    calls = [time.call("a", 10), time.call("b", 14), time.call("c", 12)]
    assert measured_us(calls, TurnLimits(rounds=3, calls=1), time.clock) == [10, 14, 12]
    assert [time.called.count(name) for name in "abc"] == [6, 2, 6]


def test_one_that_is_left_is_not_measured_further() -> None:
    time = Time()
    measured_us([time.call("a", 10), time.call("b", 100)], TurnLimits(rounds=9, calls=1), time.clock)
    assert time.called == ["a", "a", "b", "b"]


@pytest.mark.parametrize(("seconds", "rounds"), [(0.05, 1), (0.11, 2), (0.2, 3)])
def test_no_round_begins_after_the_time_is_over(seconds: float, rounds: int) -> None:
    """A round takes 80 ms: of each of the two 10 ms of rest and three times 10 ms."""
    time = Time()
    calls = [time.call("a", 10_000), time.call("b", 10_000)]
    measured_us(calls, TurnLimits(seconds=seconds, calls=2), time.clock)
    assert time.called.count("a") == 3 * rounds


def test_a_long_call_is_made_once_in_a_turn() -> None:
    time = Time()
    assert measured_us([time.call("a", 200_000)], TurnLimits(seconds=0.3, rounds=1), time.clock) == [200_000]
    assert time.called == ["a"]
