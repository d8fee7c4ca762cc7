"""Measuring in turns, on a clock of the test's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from lite_delegate.delegate import CancelToken, cancel_point, reset_token, set_token
from lite_delegate.errors import KernelError, RequestCancelled
from lite_delegate.inference.placing.measurement import (
    LOOKS,
    MOST_CALLS,
    TurnClock,
    TurnLimits,
    TurnTime,
    measured,
    rest_until_still,
)

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

    def steps(self, name: str, count: int, us: int) -> Callable[[], None]:
        """What takes so many steps, and may end before each of them."""

        def run() -> None:
            self.called.append(name)
            for _ in range(count):
                cancel_point()
                self.ns += US * us

        return run


def measured_us(calls: Sequence[Callable[[], object]], limits: TurnLimits, clock: TurnClock) -> list[float]:
    return [each.us for each in measured(calls, limits, clock)]


def test_the_shortest_call_counts_and_the_first_of_a_turn_does_not() -> None:
    time = Time()
    calls = [time.call("a", 5, 30, 20, 40), time.call("b", 25)]
    assert measured_us(calls, TurnLimits(turn_seconds=0, rounds=1), time.clock) == [20, 25]
    assert time.called == ["a"] * 4 + ["b"] * 4


@pytest.mark.parametrize(("us", "calls"), [(20, 500), (2_500, 4), (4_000, 3), (40_000, 3)])
def test_a_turn_of_short_calls_goes_on_for_10_ms(us: int, calls: int) -> None:
    """Beside the one that does not count, whose time is part of the turn; where it is longer, it has three calls."""
    time = Time()
    measured_us([time.call("a", us)], TurnLimits(seconds=1, rounds=1), time.clock)
    assert len(time.called) in (calls, calls + 1)


def test_a_turn_of_calls_that_take_no_time_ends() -> None:
    time = Time()
    measured_us([time.call("a", 0)], TurnLimits(rounds=1), time.clock)
    assert len(time.called) == 1 + MOST_CALLS


def test_what_joins_has_its_turns_behind_the_others_from_the_first_round_on() -> None:
    time = Time()
    seen: list[float] = []

    def joining(taken: Sequence[TurnTime]) -> list[Callable[[], None]]:
        seen.extend(each.us for each in taken)
        return [time.call("c", 9)]

    calls = [time.call("a", 10), time.call("b", 11)]
    limits = TurnLimits(rounds=2, calls=1, turn_seconds=0)
    assert [each.us for each in measured(calls, limits, time.clock, joining=joining)] == [10, 11, 9]
    assert seen == [10, 11]
    assert "".join(time.called) == "aabbcc" * 2


def test_the_time_of_joining_is_no_time_of_the_rounds() -> None:
    """A round of the three takes 90 ms, so that two begin in 100 ms; giving the third one takes a second."""
    time = Time()

    def joining(_: Sequence[TurnTime]) -> list[Callable[[], None]]:
        time.rest(1.0)
        return [time.call("c", 10_000)]

    calls = [time.call("a", 10_000), time.call("b", 10_000)]
    measured(calls, TurnLimits(settling=0.1, calls=1), time.clock, joining=joining)
    assert [time.called.count(name) for name in "abc"] == [4, 4, 4]


def test_calls_come_in_turns_until_the_rounds_are_over() -> None:
    time = Time()
    measured_us([time.call("a", 10), time.call("b", 11)], TurnLimits(turn_seconds=0, rounds=2, calls=1), time.clock)
    assert time.called == ["a", "a", "b", "b"] * 2


def test_a_hopeless_candidate_gets_two_turns_and_a_lost_candidate_one_turn() -> None:
    time = Time()
    calls = [time.call("a", 10), time.call("b", 14), time.call("c", 12), time.call("d", 30)]
    assert measured_us(calls, TurnLimits(turn_seconds=0, rounds=3, calls=1), time.clock) == [10, 14, 12, 30]
    assert [time.called.count(name) for name in "abcd"] == [6, 4, 6, 2]


def test_a_candidate_that_is_slower_in_three_rounds_is_settled() -> None:
    time = Time()
    calls = [time.call("a", 100), time.call("b", 104), time.call("c", 101)]
    measured_us(calls, TurnLimits(turn_seconds=0, rounds=5, calls=1, rest_seconds=0), time.clock)
    assert [time.called.count(name) for name in "abc"] == [6, 6, 6]  # a and c are alike: nothing is left to be told


def test_a_candidate_that_was_quicker_in_one_round_is_not_settled() -> None:
    time = Time()
    calls = [time.call("a", 99, 100, 99, 100, 99, 110, 99, 90), time.call("b", 104, 104, 104, 104, 104, 105)]
    measured_us(calls, TurnLimits(turn_seconds=0, rounds=4, calls=1, rest_seconds=0), time.clock)
    assert [time.called.count(name) for name in "ab"] == [8, 8]


def test_a_turn_that_was_disturbed_is_made_up_for() -> None:
    time = Time()
    calls = [time.call("a", 20, 20, 9), time.call("b", 10)]
    assert measured_us(calls, TurnLimits(turn_seconds=0, rounds=3, calls=1), time.clock) == [9, 10]


def test_one_that_is_left_is_not_measured_further() -> None:
    time = Time()
    measured_us([time.call("a", 10), time.call("b", 100)], TurnLimits(turn_seconds=0, rounds=9, calls=1), time.clock)
    assert time.called == ["a", "a", "b", "b"]


@pytest.mark.parametrize(("settling", "rounds"), [(0, 1), (0.07, 1), (0.11, 2), (0.2, 3)])
def test_no_round_begins_after_the_time_is_over(settling: float, rounds: int) -> None:
    """A round takes 80 ms: of each of the two 10 ms of rest and three times 10 ms."""
    time = Time()
    calls = [time.call("a", 10_000), time.call("b", 10_000)]
    measured_us(calls, TurnLimits(settling=settling, calls=2), time.clock)
    assert time.called.count("a") == 3 * rounds


def test_there_is_time_to_settle_which_of_two_that_take_5_ms_is_quicker() -> None:
    """The first one is disturbed in two rounds, as by what else the machine does; the third round shows it."""
    time = Time()
    calls = [time.call("a", *[5_100] * 8, 4_700), time.call("b", 4_900)]
    assert measured_us(calls, TurnLimits(), time.clock) == [4_700, 4_900]


def test_a_turn_that_had_its_share_of_the_time_makes_one_call_that_counts() -> None:
    time = Time()
    assert measured_us([time.call("a", 200_000)], TurnLimits(seconds=0.3, rounds=1), time.clock) == [200_000]
    assert time.called == ["a", "a"]


def test_a_candidate_beyond_the_limit_of_all_is_called_once() -> None:
    time = Time()
    calls = [time.call("a", 400_000), time.call("b", 420_000)]
    assert measured_us(calls, TurnLimits(seconds=0.3), time.clock) == [400_000, 420_000]
    assert time.called == ["a", "b"]


def test_a_candidate_that_takes_far_longer_than_the_quickest_ends_at_its_next_step() -> None:
    time = Time()
    calls = [time.call("quick", 10_000), time.steps("slow", 1_000, 1_000)]
    quick, slow = measured(calls, TurnLimits(cold=4, rest_seconds=0, patience=0.01), time.clock)
    assert (quick.us, quick.reason) == (10_000, "")
    assert slow.us == float("inf")
    assert slow.reason == "given up after 40,000.0 us: the quickest takes 10,000.0"
    assert time.ns == US * (4 * 10_000 + 40_000)
    assert time.called.count("slow") == 1


def test_where_the_quickest_takes_next_to_nothing_others_may_take_a_little() -> None:
    time = Time()
    calls = [time.call("quick", 10), time.steps("slow", 49, 1_000)]
    assert [each.reason for each in measured(calls, clock=time.clock)] == ["", ""]


def test_where_nothing_quicker_is_known_a_call_ends_after_a_second() -> None:
    time = Time()
    slow, quick = measured([time.steps("slow", 50, 100_000), time.call("quick", 20)], clock=time.clock)
    assert (slow.us, slow.reason) == (float("inf"), "given up after 1,000,000.0 us")
    assert quick.us == 20
    assert time.called.count("slow") == 1


@pytest.mark.parametrize(
    ("quickest", "longest"), [(0.001, 0.05), (0.1, 0.4), (0.5, 1.0), (2.0, 2.6), (float("inf"), 1.0)]
)
def test_the_limit_of_a_call_follows_from_the_quickest_call(quickest: float, longest: float) -> None:
    assert TurnLimits().may_take(quickest) == pytest.approx(longest)


def test_whoever_waits_can_end_a_call_that_has_a_deadline() -> None:
    time, token = Time(), CancelToken()

    def call() -> None:
        token.cancel()
        cancel_point()

    before = set_token(token)
    try:
        with pytest.raises(RequestCancelled):
            measured([time.call("a", 10), call], clock=time.clock)
    finally:
        reset_token(before)


def test_a_candidate_that_raises_has_the_reason_and_no_time() -> None:
    def call() -> None:
        raise KernelError("Node 'x' (Gather): no such index.")

    time = Time()
    good, bad = measured([time.call("a", 10), call], clock=time.clock)
    assert (good.us, good.reason, bad.us, bad.reason) == (10, "", float("inf"), "Node 'x' (Gather): no such index.")


def test_the_spread_is_that_of_the_shortest_calls_of_turns() -> None:
    """The turns' shortest calls are 10, 14 and 30: the one in the middle is 4 longer than the shortest."""
    time = Time()
    calls = [time.call("a", 99, 14, 99, 30, 99, 10), time.call("b", 11)]
    (a, _) = measured(calls, TurnLimits(turn_seconds=0, rounds=3, calls=1, hopeless=9), time.clock)
    assert (a.us, a.spread_us) == (10, 4)


def test_with_one_call_the_spread_may_be_all_that_is_not_hopeless() -> None:
    time = Time()
    (a,) = measured([time.call("a", 50, 100)], TurnLimits(turn_seconds=0, rounds=1, calls=1, hopeless=1.3), time.clock)
    assert a.spread_us == pytest.approx(30)


@pytest.mark.parametrize(("spins_ms", "waited_ms"), [(0, 14), (12, 18), (50, 54), (10**6, 10 + 4 * LOOKS)])
def test_a_turn_begins_when_the_threads_of_the_one_before_have_stopped(spins_ms: int, waited_ms: int) -> None:
    time = Time()

    def computed() -> int:
        """A thread that spins that long has taken a core until now, or until it stopped."""
        return min(time.ns, spins_ms * 1000 * US)

    rest_until_still(0.01, computed, lambda: time.ns, time.rest)
    assert time.ns == waited_ms * 1000 * US
