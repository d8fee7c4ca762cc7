"""The choice of one of several plans, by the times of predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from math import isfinite

from ...basics.data_class import dataclass
from ...runtime.records import AlternativeRecord
from .measurement import (
    AGAIN,
    CLOCK,
    LEVEL,
    LIMITS,
    NOISE,
    Call,
    Joining,
    TurnClock,
    TurnLimits,
    TurnTime,
    all_there,
    measured,
)

Calls = Sequence[Call]


@dataclass(frozen=True, slots=True)
class PlanChoice:
    """The choice of the plan that stays.

    Attributes:
        best: the position of the chosen plan.
        taken: the times of predictions with each plan; empty without a measurement.
        again: the times of plans that were measured a second time, by position.
    """

    best: int
    taken: tuple[TurnTime, ...] = ()
    again: Mapping[int, TurnTime] = field(default_factory=dict, hash=False)

    @property
    def us(self) -> float:
        """Microseconds of a prediction with the chosen plan; infinite where unknown."""
        return self.taken[self.best].us if self.taken else float("inf")

    def row(self, position: int, name: str, estimated_us: float | None = None) -> AlternativeRecord:
        """The row of a plan in the record."""
        is_best = position == self.best
        if not self.taken:
            return AlternativeRecord(name, None, chosen=is_best)
        taken, again = self.taken[position], self.again.get(position)
        us, spread_us = (None, None) if taken.reason else (taken.us, taken.spread_us)
        again_us = None if again is None or again.reason else again.us
        given_up_us = taken.given_up_us
        return AlternativeRecord(name, us, is_best, taken.reason, spread_us, again_us, estimated_us, given_up_us)


NOT_MEASURED = PlanChoice(0)
"""The first plan, unmeasured."""


def chosen(
    calls: Calls, limits: TurnLimits = LIMITS, clock: TurnClock = CLOCK, joining: Joining = all_there
) -> PlanChoice:
    """The choice among plans in the user's order of preference: the first plan that is about as quick as the quickest.

    A plan that joins is chosen only if it gains more than the noise, also in a second measurement of the two plans:
    each of its times is shorter than each of the other plan's times.

    Args:
        calls: a prediction with each plan.
        limits: of the measurement.
        clock: of the measurement.
        joining: gives a prediction with each plan that joins behind the first plans, see ``measured``.

    Raises:
        RequestCancelled: the compilation was cancelled.
    """
    everyone, count = [*calls], len(calls)

    def joined(first: Sequence[TurnTime]) -> Calls:
        everyone.extend(joining(first))
        return everyone[count:]

    taken = tuple(measured(everyone[:count], limits, clock, joining=joined))
    choice, best = PlanChoice(_first_alike(taken[:count]), taken), _first_alike(taken)
    if best < count or not isfinite(choice.us):
        return replace(choice, best=best)
    if not taken[best].us * NOISE < choice.us:
        return choice
    twice = measured([everyone[best], everyone[choice.best]], AGAIN, clock)
    return _once_more(choice, best, twice)


def _first_alike(taken: Sequence[TurnTime]) -> int:
    """The position of the first plan that is about as quick as the quickest."""
    quickest = min(each.us for each in taken)
    return next(i for i, each in enumerate(taken) if each.us <= LEVEL * quickest)


def _once_more(choice: PlanChoice, best: int, twice: Sequence[TurnTime], known_us: float = float("inf")) -> PlanChoice:
    """The choice of a better plan, if a second measurement agrees.

    Args:
        choice: of the plan before, with the times of both plans.
        best: the position of the better plan.
        twice: the times of both plans in the second measurement.
        known_us: another known time of the plan before.
    """
    before = choice.best
    longest = max(each.us for each in (choice.taken[best], twice[0]))
    shortest = min(known_us, *(each.us for each in (choice.taken[before], twice[1])))
    again = {**choice.again, best: twice[0], before: twice[1]}
    return replace(choice, best=best if longest * NOISE < shortest else before, again=again)


def challenged(choice: PlanChoice, calls: Calls, clock: TurnClock = CLOCK, limits: TurnLimits = AGAIN) -> PlanChoice:
    """The choice between the chosen plan and more plans.

    The new plans are measured beside the chosen plan. The quickest new plan takes its place only if the gain exceeds
    the noise and the scatter, also in a second measurement of the two plans, and if each of its times is shorter than
    each of the chosen plan's times.

    Args:
        choice: among the first plans.
        calls: a prediction with each of the first plans, then with each new plan.
        clock: time.
        limits: of measuring.

    Raises:
        RequestCancelled: the compilation was cancelled.
    """
    count, before = len(choice.taken), choice.best
    has_time = isfinite(choice.us)
    beside = [calls[before]] if has_time else []  # behind the new plans, to be given up beside them
    taken = measured([*calls[count:], *beside], limits, clock, choice.us)
    wider = replace(choice, taken=(*choice.taken, *taken[: len(calls) - count]))
    best = min(range(count, len(calls)), key=lambda i: wider.taken[i].us)
    if not has_time:
        return replace(wider, best=best) if isfinite(wider.taken[best].us) else wider
    if not gains(wider.taken[best], taken[-1]):
        return wider
    twice = measured([calls[best], calls[before]], limits, clock)
    found = _once_more(wider, best, twice, taken[-1].us)
    return found if gains(*twice) else replace(found, best=before)


def gains(one: TurnTime, other: TurnTime) -> bool:
    """Whether one time is shorter than the other by more than the noise and the scatter of both."""
    if not isfinite(other.us):
        return isfinite(one.us)
    return one.us * NOISE < other.us and one.us + max(one.spread_us, other.spread_us) < other.us
