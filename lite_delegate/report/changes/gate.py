"""Requirements on a partition report, for continuous integration."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief
from ...errors import InputError
from ..partition_data import PartitionData
from .metrics import METRICS, Metric

BASELINE = "baseline"
"""Stands for the same number of an earlier report."""
OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
_FORM = re.compile(r"\s*(\w+)\s*(>=|<=|==|!=|>|<)\s*([^\s=<>!]\S*)\s*")


@dataclass(frozen=True, slots=True)
class Requirement(Brief):
    """A bound on a number of a report.

    Attributes:
        text: the text that the user gave.
        metric: the number.
        operator: one of ``OPERATORS``.
        bound: the bound of the number; None: the same number of the baseline.
    """

    text: str
    metric: Metric
    operator: str
    bound: float | None


@dataclass(frozen=True, slots=True)
class Unmet(Brief):
    """A requirement that a report does not meet.

    Attributes:
        requirement: the requirement.
        found: the number of the report, None where it is not known.
        bound: the bound that the number was compared with.
    """

    requirement: Requirement
    found: float | None
    bound: float

    def to_text(self) -> str:
        """The requirement and the number found, on one line."""
        metric = self.requirement.metric
        estimate = ", an estimate," if metric.is_estimate else ""
        bound = f" (baseline: {metric.text(self.bound)})" if self.requirement.bound is None else ""
        return (
            f"requirement not met: {self.requirement.text}: {metric.name}{estimate} is {metric.text(self.found)}{bound}"
        )


def parse_requirement(text: str) -> Requirement:
    """A requirement from ``METRIC OPERATOR NUMBER`` or ``METRIC OPERATOR baseline``, spaces or not.

    Raises:
        InputError: it is none; the message lists metrics and operators.
    """
    form = _FORM.fullmatch(text)
    if form is None:
        raise InputError(
            f"A requirement must be METRIC OPERATOR NUMBER, such as coverage>=0.9 or coverage>=baseline, with one of "
            f"the operators {' '.join(OPERATORS)}, got '{text}'."
        )
    name, sign, bound = form.groups()
    if name not in METRICS:
        raise InputError(f"Requirement '{text}': no metric '{name}', there are {', '.join(METRICS)}.")
    return Requirement(text.strip(), METRICS[name], sign, None if bound == BASELINE else _number(bound, text))


def _number(bound: str, text: str) -> float:
    try:
        number = float(bound)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"Requirement '{text}': expected a number or '{BASELINE}', found '{bound}'.")
    return number


def unmet(
    report: PartitionData, requirements: Sequence[Requirement], baseline: PartitionData | None = None
) -> tuple[Unmet, ...]:
    """The requirements that a report does not meet, in their order. A number that is not known meets none.

    Args:
        report: the report.
        requirements: the requirements of the report.
        baseline: an earlier report, for requirements that are relative to it.

    Raises:
        InputError: a requirement needs the baseline, and there is none, or the baseline does not know the number.
    """
    checked = [(r, r.metric.of(report), _bound(r, baseline)) for r in requirements]
    return tuple(
        Unmet(requirement, found, bound)
        for requirement, found, bound in checked
        if found is None or not OPERATORS[requirement.operator](found, bound)
    )


def _bound(requirement: Requirement, baseline: PartitionData | None) -> float:
    if requirement.bound is not None:
        return requirement.bound
    if baseline is None:
        raise InputError(f"Requirement '{requirement.text}' needs a report to compare with: give --baseline FILE.json.")
    bound = requirement.metric.of(baseline)
    if bound is None:
        raise InputError(f"Requirement '{requirement.text}': the baseline does not know {requirement.metric.name}.")
    return bound
