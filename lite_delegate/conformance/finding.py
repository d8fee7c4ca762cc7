"""Finding: a failure in one of a case's trials."""

from __future__ import annotations

from ..basics.data_class import dataclass
from .judging.case import Array
from .judging.oracle import Expected
from .reports.defects import Defect, Stage
from .reports.results import CaseOutcome, FailureKind


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """A failure in one of a case's trials.

    Attributes:
        stage: where it showed.
        detail: what differs, or what was raised.
        defect: its name; None where it cannot be told.
        outcome: WRONG or FAILED.
        failure: how it FAILED.
        traceback: of what was raised.
        data, got: what was asked for and what came, where that may tell the defect.
    """

    stage: Stage
    detail: str
    defect: Defect | None = None
    outcome: CaseOutcome = CaseOutcome.WRONG
    failure: FailureKind | None = None
    data: Expected | None = None
    got: tuple[Array, ...] = ()
    traceback: str = ""
