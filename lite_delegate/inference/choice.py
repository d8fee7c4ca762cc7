"""The choice of one of several plans, by what predictions with them take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace

from ..data_class import dataclass
from ..runtime.records import AlternativeRecord
from .turns import AGAIN, CLOCK, LIMITS, Taken, TurnClock, TurnLimits, measured

Calls = Sequence[Callable[[], object]]
NOISE = 1.02
"""A plan has to be faster by more to be taken in place of one that the user prefers."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which plan stays.

    Attributes:
        best: its position.
        single: that of the best plan with one delegate or none.
        taken: what predictions take with each; none where nothing was measured.
        again: the same, once more, of some.
    """

    best: int
    single: int = 0
    taken: tuple[Taken, ...] = ()
    again: Mapping[int, Taken] = field(default_factory=dict, hash=False)

    def row(self, position: int, name: str, estimated_us: float | None = None) -> AlternativeRecord:
        """What the record says of a plan."""
        is_best = position == self.best
        if not self.taken:
            return AlternativeRecord(name, None, chosen=is_best)
        taken, again = self.taken[position], self.again.get(position)
        us, spread_us = (None, None) if taken.reason else (taken.us, taken.spread_us)
        again_us = None if again is None else again.us
        return AlternativeRecord(name, us, is_best, taken.reason, spread_us, again_us, estimated_us)


NOT_MEASURED = Choice(0)
"""The first one, unmeasured."""


def chosen(calls: Calls, is_mixed: Sequence[bool], limits: TurnLimits = LIMITS, clock: TurnClock = CLOCK) -> Choice:
    """The choice, measured.

    Of plans with a single delegate or none, the first of those that are within ``NOISE`` of the quickest. A plan of
    several delegates only where it gains more than ``NOISE``, and than what times were seen to scatter, does so again
    when both are measured once more, and has no time that is not shorter than each of the other's.

    Args:
        calls: a prediction with each plan, in order of preference.
        is_mixed: whether the plan is one of several delegates.
        limits: of the first measuring.
        clock: time.

    Raises:
        RequestCancelled: nobody wants the result any more.
    """
    taken = tuple(measured(calls, limits, clock))
    if all(is_mixed):
        best = _first(taken, is_mixed)
        return Choice(best, best, taken)
    single = _first(taken, [not each for each in is_mixed])
    mixed = min((i for i, each in enumerate(is_mixed) if each), key=lambda i: taken[i].us, default=single)
    return _confirmed(Choice(single, single, taken), calls, mixed, taken[single], clock)


def challenged(choice: Choice, calls: Calls, clock: TurnClock = CLOCK) -> Choice:
    """The choice among more plans, all of several delegates.

    They are measured beside the best one of a single delegate, by the same rule.

    Args:
        choice: among the first plans.
        calls: a prediction with each of those, and with each of the others behind them.
        clock: time.

    Raises:
        RequestCancelled: nobody wants the result any more.
    """
    count = len(choice.taken)
    single, *others = measured([calls[choice.single], *calls[count:]], AGAIN, clock)
    wider = replace(choice, taken=(*choice.taken, *others))
    best = min(range(count, len(calls)), key=lambda i: wider.taken[i].us)
    if choice.best != choice.single and wider.taken[best].us >= choice.taken[choice.best].us:
        return wider
    return _confirmed(wider, calls, best, single, clock)


def _confirmed(choice: Choice, calls: Calls, mixed: int, single: Taken, clock: TurnClock) -> Choice:
    """The choice with a plan of several delegates, if its gain is more than noise, is so once more, and at all times.

    Args:
        choice: without it.
        calls: a prediction with each plan.
        mixed: the plan's position.
        single: what the best plan of a single delegate took beside it.
        clock: time.
    """
    if mixed == choice.single or not gains(choice.taken[mixed], single):
        return choice
    twice = measured([calls[mixed], calls[choice.single]], AGAIN, clock)
    again = dict(zip((mixed, choice.single), twice, strict=True))
    longest = max(each.us for each in (choice.taken[mixed], twice[0]))
    shortest = min(each.us for each in (choice.taken[choice.single], single, twice[1]))
    stays = gains(*twice) and longest * NOISE < shortest
    return replace(choice, best=mixed if stays else choice.best, again={**choice.again, **again})


def gains(one: Taken, other: Taken) -> bool:
    """Whether one is quicker than the other by more than the noise, and than both scatter."""
    return one.us * NOISE < other.us and one.us + max(one.spread_us, other.spread_us) < other.us


def _first(taken: Sequence[Taken], allowed: Sequence[bool]) -> int:
    """The first that is about as quick as the quickest of those that are allowed."""
    quickest = min(each.us for each, is_allowed in zip(taken, allowed, strict=True) if is_allowed)
    return next(i for i, each in enumerate(taken) if allowed[i] and each.us <= NOISE * quickest)
