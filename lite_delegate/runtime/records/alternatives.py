"""Alternatives: the plans that were measured to find the fastest one, and the time of the search."""

from __future__ import annotations

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief


@dataclass(frozen=True, slots=True)
class AlternativeRecord(Brief):
    """A plan that was a candidate for the fastest plan.

    Attributes:
        plan: the names of the devices that take part, in order of preference; for a plan that was found by the times of
            pieces, each with its number of nodes. "on 1 thread" follows where runs have another number than usual.
        measured_us: microseconds of the shortest prediction; None where none was measured.
        chosen: whether this plan was chosen.
        reason: why no such plan exists, why it equals another plan, or why it was not measured; "" if it was measured.
        spread_us: by how much the shortest prediction of a few in a row is usually longer; None where it is not known.
        again_us: a second ``measured_us``, for a plan of several delegates, of none, or on one thread that seemed to be
            the fastest, and for the fastest plan of a single delegate. None for other plans.
        estimated_us: microseconds of a prediction by the times of pieces of the model, for a plan that was found by
            these times. None for other plans.
        given_up_us: microseconds after which a prediction was ended, since the quickest takes far less; else None.
    """

    plan: str
    measured_us: float | None
    chosen: bool
    reason: str = ""
    spread_us: float | None = None
    again_us: float | None = None
    estimated_us: float | None = None
    given_up_us: float | None = None

    @property
    def text(self) -> str:
        """The plan with its time, or the reason why there is no time, in one line."""
        return f"{self.plan}: {self._measured()}{' (chosen)' if self.chosen else ''}"

    def _measured(self) -> str:
        if self.measured_us is None:
            return self.reason or "not measured, there is no other plan"
        spread = "" if self.spread_us is None else f" (+{self.spread_us:,.1f})"
        again = "" if self.again_us is None else f", {self.again_us:,.1f} once more"
        found = "" if self.estimated_us is None else f", {self.estimated_us:,.1f} by its pieces"
        return f"{self.measured_us:,.1f}{spread} us per prediction, measured{again}{found}"


@dataclass(frozen=True, slots=True)
class CalibrationRecord(Brief):
    """The time of the search for the fastest plan.

    Attributes:
        preparing_us: microseconds of making all plans.
        chosen_us: of these, the plan that stayed.
        measuring_us: microseconds of measuring them, and of choosing.
    """

    preparing_us: float
    chosen_us: float
    measuring_us: float

    @property
    def text(self) -> str:
        """The record in one line, in seconds."""
        making, own, measuring = (us / 1e6 for us in (self.preparing_us, self.chosen_us, self.measuring_us))
        plans = f"{making:.2f} making plans ({own:.2f} the one that stays)"
        return f"found in {making + measuring:.2f} s: {plans}, {measuring:.2f} measuring them"
