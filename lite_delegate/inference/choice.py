"""The choice of one of several plans, by what predictions with them take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from ..data_class import dataclass
from ..runtime.records import AlternativeRecord
from .turns import AGAIN, CLOCK, LIMITS, Taken, TurnClock, TurnLimits, measured

NOISE = 1.02
"""A plan has to be faster by more to be taken in place of one that the user prefers."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which plan stays.

    Attributes:
        best: its position.
        taken: what predictions take with each; none where nothing was measured.
        again: the same, once more, of some.
    """

    best: int
    taken: tuple[Taken, ...] = ()
    again: Mapping[int, Taken] = field(default_factory=dict, hash=False)

    def row(self, position: int, name: str) -> AlternativeRecord:
        """What the record says of a plan."""
        is_best = position == self.best
        if not self.taken:
            return AlternativeRecord(name, None, chosen=is_best)
        taken, again = self.taken[position], self.again.get(position)
        if taken.reason:
            return AlternativeRecord(name, None, is_best, taken.reason)
        return AlternativeRecord(name, taken.us, is_best, "", taken.spread_us, None if again is None else again.us)


NOT_MEASURED = Choice(0)
"""The first one, unmeasured."""


def chosen(
    calls: Sequence[Callable[[], object]],
    is_mixed: Sequence[bool],
    limits: TurnLimits = LIMITS,
    clock: TurnClock = CLOCK,
) -> Choice:
    """The choice, measured.

    Of plans with a single delegate or none, the first of those that are within ``NOISE`` of the quickest. A plan of
    several delegates only where it gains more than ``NOISE``, and than what times were seen to scatter; and where it
    does so again when both are measured once more.

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
        return Choice(_first(taken, is_mixed), taken)
    single = _first(taken, [not each for each in is_mixed])
    mixed = min((i for i, each in enumerate(is_mixed) if each), key=lambda i: taken[i].us, default=single)
    if mixed == single or not gains(taken[mixed], taken[single]):
        return Choice(single, taken)
    twice = measured([calls[mixed], calls[single]], AGAIN, clock)
    best = mixed if gains(*twice) else single
    return Choice(best, taken, dict(zip((mixed, single), twice, strict=True)))


def gains(one: Taken, other: Taken) -> bool:
    """Whether one is quicker than the other by more than the noise, and than both scatter."""
    return one.us * NOISE < other.us and one.us + max(one.spread_us, other.spread_us) < other.us


def _first(taken: Sequence[Taken], allowed: Sequence[bool]) -> int:
    """The first that is about as quick as the quickest of those that are allowed."""
    quickest = min(each.us for each, is_allowed in zip(taken, allowed, strict=True) if is_allowed)
    return next(i for i, each in enumerate(taken) if allowed[i] and each.us <= NOISE * quickest)
