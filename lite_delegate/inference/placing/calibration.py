"""Calibration: the time for making and measuring more plans than one for each delegate."""

from __future__ import annotations

from collections.abc import Sequence

from lite_delegate_kernels import Array

from ...basics.data_class import dataclass
from ...runtime.records import CalibrationRecord
from .candidates import Candidate, Planner
from .measurement import NS_PER_SECOND, NS_PER_US


@dataclass(frozen=True, slots=True)
class Calibration:
    """The means of making and measuring plans within a time limit.

    Attributes:
        planner: makes plans.
        arrays: the inputs of predictions.
        began_ns: the time at which each delegate had a plan.
    """

    planner: Planner
    arrays: Sequence[Array]
    began_ns: int

    @property
    def left_seconds(self) -> float:
        """The seconds left, at least 0."""
        return max(self._bound_seconds - (self.planner.clock.now() - self.began_ns) / NS_PER_SECOND, 0.0)

    @property
    def _bound_seconds(self) -> float:
        milliseconds = self.planner.settings.partition.calibration_ms
        return float("inf") if milliseconds is None else milliseconds / 1_000

    def why_not(self, seconds: float = 0.0) -> str:
        """The reason for not doing a step that takes about so many seconds; "" if the time is left."""
        left = self.left_seconds
        if seconds < left:
            return ""
        would = f"it would take about {seconds:.1f} s, and " if seconds else ""
        return f"not looked for: {would}of {self._bound_seconds:g} s {left:.1f} are left"


def spent(planner: Planner, kept: Candidate, began_ns: int) -> CalibrationRecord:
    """The record of the time that making and measuring the plans took.

    Args:
        planner: the maker of all plans.
        kept: the plan that stays.
        began_ns: the start of making the first plan.
    """
    made = sum(planner.made_ns)
    rest = planner.clock.now() - began_ns - made
    return CalibrationRecord(made / NS_PER_US, kept.made_ns / NS_PER_US, rest / NS_PER_US)
