"""The choice of a plan: single ones within the noise, mixed ones only for a gain that is seen twice."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lite_delegate.errors import KernelError
from lite_delegate.inference.placing.choice import challenged, chosen
from lite_delegate.inference.placing.measurement import TurnLimits
from tests.inference.placing.test_measurement import Time

ONE_TURN = TurnLimits(rounds=2, calls=1, turn_seconds=0, rest_seconds=0)
COLD = 99


def of_turns(*shortest: int) -> list[int]:
    """Calls of turns: each has one that does not count."""
    return [us for each in shortest for us in (COLD, each)]


@pytest.mark.parametrize(
    ("single", "mixed", "best", "is_measured_again"),
    [
        ((100, 100), (90, 90, 90), 1, True),
        ((100, 100), (99, 99), 0, False),  # no more than the noise
        ((100, 100), (101, 101), 0, False),
        ((100, 115), (90, 90), 0, False),  # no more than the single one scatters
        ((100, 100), (90, 105), 0, False),  # no more than the mixed one scatters
        ((100, 100, 100), (90, 90, 100), 0, True),  # not once more
        ((100, 100, 85), (90, 90, 90), 0, True),  # the single one is quicker once more
    ],
)
def test_a_plan_that_comes_later_needs_a_gain_above_the_noise_twice(
    single: Sequence[int], mixed: Sequence[int], best: int, is_measured_again: bool
) -> None:
    time = Time()
    calls = [time.call("single", *of_turns(100, *single)), time.call("mixed", *of_turns(*mixed))]
    first = chosen(calls[:1], ONE_TURN, time.clock)
    choice = challenged(first, calls, time.clock, ONE_TURN)
    assert choice.best == best
    assert set(choice.again) == ({0, 1} if is_measured_again else set())


def test_the_record_has_both_times_of_what_was_measured_once_more() -> None:
    time = Time()
    calls = [time.call("slow", 300), time.call("single", 100), time.call("mixed", 80)]
    choice = challenged(chosen(calls[:2], ONE_TURN, time.clock), calls, time.clock)
    rows = [choice.row(i, name) for i, name in enumerate("abc")]
    assert [(row.measured_us, row.again_us, row.chosen) for row in rows] == [
        (300, None, False),
        (100, 100, False),
        (80, 80, True),
    ]


@pytest.mark.parametrize(("second_us", "best"), [(10_100, 1), (10_110, 2)])
def test_of_the_first_plans_the_first_that_is_alike_stays(second_us: int, best: int) -> None:
    time = Time()
    calls = [time.call("a", 11_000), time.call("b", second_us), time.call("c", 10_000)]
    assert chosen(calls, ONE_TURN, time.clock).best == best


@pytest.mark.parametrize(
    ("first", "joined", "best", "is_measured_again"),
    [
        ((100,), (90,), 1, True),
        ((100,), (100,), 0, False),
        ((100,), (99,), 0, False),  # no more than the noise
        ((100,), (98,), 1, True),
        ((COLD, 100, COLD, 130, 100), (COLD, 90, COLD, 130, 90), 1, True),  # however far they scatter
        ((100, 100), (90, 90, 90, 90, 100), 0, True),  # not once more
        ((100, 100, 100, 100, 80), (90,), 0, True),  # the first one is quicker once more
    ],
)
def test_what_joins_needs_a_gain_above_the_noise_twice(
    first: Sequence[int], joined: Sequence[int], best: int, is_measured_again: bool
) -> None:
    time = Time()
    limits = TurnLimits(rounds=2, calls=1, turn_seconds=0, rest_seconds=0)
    calls, late = [time.call("a", *first)], [time.call("b", *joined)]
    choice = chosen(calls, limits, time.clock, lambda _: late)
    assert (choice.best, len(choice.taken)) == (best, 2)
    assert set(choice.again) == ({0, 1} if is_measured_again else set())


def test_where_the_first_plans_fail_one_that_joins_stays() -> None:
    def fails() -> None:
        raise KernelError("no such index")

    time = Time()
    choice = chosen([fails], ONE_TURN, time.clock, lambda _: [time.call("b", 100)])
    assert (choice.best, choice.us, set(choice.again)) == (1, 100, set())


def test_a_plan_that_was_given_up_has_a_reason_in_place_of_a_time() -> None:
    time = Time()
    calls = [time.call("a", 100), time.steps("b", 1_000, 1_000)]
    row = chosen(calls, clock=time.clock).row(1, "b")
    assert (row.measured_us, row.chosen, row.given_up_us) == (None, False, 50_000)
    assert row.reason.startswith("given up after 50,000.0 us")


def test_where_the_first_plans_fail_a_later_one_that_does_not_stays() -> None:
    def fails() -> None:
        raise KernelError("no such index")

    time = Time()
    calls = [fails, time.call("b", 100), time.call("c", 90)]
    choice = challenged(chosen(calls[:1], clock=time.clock), calls, time.clock)
    assert (choice.best, choice.us) == (2, 90)


@pytest.mark.parametrize(
    ("second", "third", "best"),
    [
        ((120,), (110,), 0),  # none is faster than the single one
        ((99,), (70,), 2),
        ((60,), (70,), 1),
        ((60, 60, 60, 60, 101), (101,), 0),  # not once more, after a turn of four calls
    ],
)
def test_plans_that_come_later_are_held_against_the_first(
    second: Sequence[int], third: Sequence[int], best: int
) -> None:
    time = Time()
    single = time.call("single", 100)
    first = chosen([single], ONE_TURN, time.clock)
    calls = [single, time.call("second", *second), time.call("third", *third)]
    assert challenged(first, calls, time.clock).best == best


def test_a_gain_that_is_less_than_what_the_machine_varies_counts_for_nothing() -> None:
    """The single one took 50 at first and 100 later, the mixture 70: on a machine that does other things now."""
    time = Time()
    single = time.call("single", 50, 50, 100)
    first = chosen([single], ONE_TURN, time.clock)
    assert first.taken[0].us == 50
    choice = challenged(first, [single, time.call("mixed", 70)], time.clock)
    assert (choice.best, choice.taken[1].us, choice.again[0].us) == (0, 70, 100)


def test_a_pair_that_was_kept_stays_where_later_plans_are_slower() -> None:
    time = Time()
    calls = [time.call("single", 100), time.call("pair", 50), time.call("later", 60)]
    first = challenged(chosen(calls[:1], ONE_TURN, time.clock), calls[:2], time.clock)
    assert (first.best, challenged(first, calls, time.clock).best) == (1, 1)
    calls[2] = time.call("later", 40)
    assert challenged(first, calls, time.clock).best == 2
