"""The choice of one of several plans, by what predictions with them take."""

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
    """Which plan stays.

    Attributes:
        best: its position.
        taken: what predictions take with each; none where nothing was measured.
        again: the same, once more, of some.
    """

    best: int
    taken: tuple[TurnTime, ...] = ()
    again: Mapping[int, TurnTime] = field(default_factory=dict, hash=False)

    @property
    def us(self) -> float:
        """Microseconds of a prediction with it; infinite where that is not known."""
        return self.taken[self.best].us if self.taken else float("inf")

    def row(self, position: int, name: str, estimated_us: float | None = None) -> AlternativeRecord:
        """What the record says of a plan."""
        is_best = position == self.best
        if not self.taken:
            return AlternativeRecord(name, None, chosen=is_best)
        taken, again = self.taken[position], self.again.get(position)
        us, spread_us = (None, None) if taken.reason else (taken.us, taken.spread_us)
        again_us = None if again is None or again.reason else again.us
        given_up_us = taken.given_up_us
        return AlternativeRecord(name, us, is_best, taken.reason, spread_us, again_us, estimated_us, given_up_us)


NOT_MEASURED = PlanChoice(0)
"""The first one, unmeasured."""


def chosen(
    calls: Calls, limits: TurnLimits = LIMITS, clock: TurnClock = CLOCK, joining: Joining = all_there
) -> PlanChoice:
    """The choice among plans of which the user prefers the first: the first that is as quick as the quickest, or alike.

    One that joins takes its place only where it gains more than the noise, and does so again when these two are
    measured once more: each of its times is shorter than each of the other's.

    Args:
        calls: a prediction with each plan.
        limits: of measuring.
        clock: time.
        joining: gives a prediction with each of those that join them, see ``measured``; they come behind the others.

    Raises:
        RequestCancelled: nobody wants the result any more.
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
    """The position of the first that is as quick as the quickest, or alike."""
    quickest = min(each.us for each in taken)
    return next(i for i, each in enumerate(taken) if each.us <= LEVEL * quickest)


def _once_more(choice: PlanChoice, best: int, twice: Sequence[TurnTime], known_us: float = float("inf")) -> PlanChoice:
    """The choice of a plan that seemed to be better, if it is so once more.

    Args:
        choice: of the other plan, with the times of both.
        best: the plan that seemed to be better.
        twice: both, measured once more.
        known_us: the shortest time that is known of the other one beside those.
    """
    before = choice.best
    longest = max(each.us for each in (choice.taken[best], twice[0]))
    shortest = min(known_us, *(each.us for each in (choice.taken[before], twice[1])))
    again = {**choice.again, best: twice[0], before: twice[1]}
    return replace(choice, best=best if longest * NOISE < shortest else before, again=again)


def challenged(choice: PlanChoice, calls: Calls, clock: TurnClock = CLOCK, limits: TurnLimits = AGAIN) -> PlanChoice:
    """The choice among more plans.

    They are measured beside the one that was chosen before. The quickest of them takes its place only where it gains
    more than the noise, and than what times were seen to scatter, does so again when these two are measured once more,
    and has no time that is not shorter than each of the other's.

    Args:
        choice: among the first plans.
        calls: a prediction with each of those, and with each of the others behind them.
        clock: time.
        limits: of measuring.

    Raises:
        RequestCancelled: nobody wants the result any more.
    """
    count, before = len(choice.taken), choice.best
    has_time = isfinite(choice.us)
    beside = [calls[before]] if has_time else []  # behind the others, so that it may be given up beside them
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
    """Whether one is quicker than the other by more than the noise, and than both scatter."""
    if not isfinite(other.us):
        return isfinite(one.us)
    return one.us * NOISE < other.us and one.us + max(one.spread_us, other.spread_us) < other.us
