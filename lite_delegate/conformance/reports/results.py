"""Results of a conformance run: per case, and summed up per operator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from typing import Any, ClassVar

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief, quoted
from ...delegate import RejectCode
from ...numerics.errors import Errors
from ...numerics.usability import UsableLimits
from ...reporting.forms import ReportData
from ...reporting.plain import to_plain
from ...reporting.tables import FormTable
from .defects import Defect, Stage


class CaseOutcome(StrEnum):
    """The end of one case. Only PASSED counts as passed: what the CPU computed for a delegate does not."""

    PASSED = "passed"
    WRONG = "wrong"
    FAILED = "failed"
    REJECTED = "rejected"
    OUT_OF_RANGE = "out of range"


class FailureKind(StrEnum):
    """The way in which a case failed."""

    RAISED = "raised"
    TIMED_OUT = "timed out"
    CRASHED = "crashed"


class Verdict(StrEnum):
    """The truth of a delegate's claim, for a case or for an operator."""

    HONEST = "honest"
    """Claimed, and right."""
    OVER_CLAIM = "over-claim"
    """Claimed, but wrong, raising, hanging or crashing."""
    UNDER_CLAIM = "under-claim"
    """Rejected, but right when it is claimed by force."""
    REJECTED = "rejected"
    """Rejected, and not right (or not tried) when it is claimed by force."""
    UNTESTED = "untested"
    """Claimed, but the case has numbers that the device cannot hold, or of which it promises nothing."""


@dataclass(frozen=True, slots=True)
class CaseResult(Brief):
    """One case on one delegate.

    Attributes:
        op_type: the operator.
        name: the case.
        outcome: PASSED; WRONG: an output differs, or an input was written to; FAILED: claimed, but no answer came;
            REJECTED: the delegate does not claim it; OUT_OF_RANGE: it claims it, but the case has numbers that the
            device's storage type cannot hold, or special values of which the delegate promises nothing; or its shapes
            follow from digits that the type has not.
        max_abs: the largest absolute difference over all outputs; None when nothing was compared.
        detail: what differs, what was raised, or why it was rejected; "" when it passed.
        max_rel, max_ulp, snr_db: see ``measure.Errors``.
        failure: how it FAILED.
        code: why it was REJECTED.
        rule: the limit behind it, in the same words for all cases that it keeps away; "" where the delegate says none.
        forced: how it ends when the node is claimed by force; None when that was not tried.
        forced_detail: what differs then, what was raised, or why it was not tried.
        saved: the directory in which the failing case was saved, "" when it was not.
        traceback: of what was raised, "" where nothing was.
        defect: the name of what is wrong, None where that cannot be told.
        defect_place: the attribute, input, node or output that it concerns; "" where that is not told.
        stage: what was done with the model when it went wrong.
        known: why the failure is known, "" where it is not.
        smallest: the operators of the smallest chain of a pattern's nodes that fails in the same way.
        is_close: it was looked at closely: forks, threads, resize and rebuild too.
    """

    op_type: str
    name: str
    outcome: CaseOutcome
    max_abs: float | None
    detail: str
    max_rel: float | None = None
    max_ulp: int | None = None
    snr_db: float | None = None
    failure: FailureKind | None = None
    code: RejectCode | None = None
    forced: CaseOutcome | None = None
    forced_detail: str = ""
    saved: str = ""
    traceback: str = ""
    defect: Defect | None = None
    defect_place: str = ""
    stage: Stage | None = None
    known: str = ""
    smallest: str = ""
    is_close: bool = False
    rule: str = ""

    @classmethod
    def compared(cls, op_type: str, name: str, errors: Errors, detail: str) -> CaseResult:
        """The result of a case whose outputs were compared: WRONG if there is a detail, else PASSED."""
        outcome = CaseOutcome.WRONG if detail else CaseOutcome.PASSED
        return cls(op_type, name, outcome, errors.max_abs, detail, errors.max_rel, errors.max_ulp, snr_db=errors.snr_db)

    @classmethod
    def failed(cls, op_type: str, name: str, failure: FailureKind, detail: str, traceback: str = "") -> CaseResult:
        """The result of a case that was claimed, and to which no answer came."""
        return cls(op_type, name, CaseOutcome.FAILED, None, detail, failure=failure, traceback=traceback)

    def with_forced(self, outcome: CaseOutcome | None, detail: str) -> CaseResult:
        """The result with the outcome of forcing the claim."""
        return replace(self, forced=outcome, forced_detail=detail)

    @property
    def verdict(self) -> Verdict:
        """The verdict of the case on the claim."""
        if self.outcome is CaseOutcome.REJECTED:
            return Verdict.UNDER_CLAIM if self.forced is CaseOutcome.PASSED else Verdict.REJECTED
        return _VERDICTS[self.outcome]

    @property
    def is_usable(self) -> bool | None:
        """Whether what passed is near enough to be used, by ``UsableLimits``: rounding may explain a difference, and
        ruin the result all the same. None where nothing passed, or has a signal-to-noise ratio.
        """
        if self.outcome is not CaseOutcome.PASSED or self.snr_db is None or self.max_abs is None:
            return None
        return self.snr_db >= USABLE.snr_db or self.max_abs <= USABLE.floor

    @property
    def id(self) -> str:
        """The case's name in a list: operator and case, or family and pattern."""
        return f"{self.op_type}-{self.name}"

    @property
    def text(self) -> str:
        """A description of the failure: name, position and stage of the defect where there is one, and the
        difference.
        """
        place = f" ({self.defect_place})" if self.defect_place else ""
        name = f"{self.defect}{place}: " if self.defect else ""
        stage = f"{self.stage}: " if self.stage not in (None, Stage.FIRST) else ""
        smallest = f"; the smallest that fails: {self.smallest}" if self.smallest else ""
        return f"{name}{stage}{self.detail}{smallest}"

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, ready for JSON."""
        return {**to_plain(self), "verdict": self.verdict.value}


USABLE = UsableLimits()
_VERDICTS = {
    CaseOutcome.PASSED: Verdict.HONEST,
    CaseOutcome.WRONG: Verdict.OVER_CLAIM,
    CaseOutcome.FAILED: Verdict.OVER_CLAIM,
    CaseOutcome.OUT_OF_RANGE: Verdict.UNTESTED,
}
_WORST_FIRST = (Verdict.OVER_CLAIM, Verdict.UNDER_CLAIM, Verdict.HONEST, Verdict.REJECTED)


@dataclass(frozen=True, slots=True)
class OperatorResult(Brief):
    """The cases of one operator summed up: counts, and the worst of each number."""

    op_type: str
    cases: int
    passed: int
    wrong: int
    failed: int
    rejected: int
    out_of_range: int
    max_abs: float | None
    verdict: Verdict
    under_claimed: int
    max_rel: float | None
    max_ulp: int | None
    snr_db: float | None

    def to_dict(self) -> dict[str, Any]:
        """The row as plain data, ready for JSON."""
        plain: dict[str, Any] = to_plain(self)
        return plain


@dataclass(frozen=True, slots=True)
class ReasonResult(Brief):
    """The cases that are rejected for one reason, summed up: what a delegate's author could support next.

    Attributes:
        code: the kind of reason; None where no delegate gave one.
        reason: the delegate's rule, which is the limit without the value found; all that it said where it has none.
        cases: how many.
        under_claimed: how many of them are right when they are claimed by force.
        operators: those of the cases, by name.
    """

    code: RejectCode | None
    reason: str
    cases: int
    under_claimed: int
    operators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConformanceData(ReportData):
    """All results of one conformance run.

    Attributes:
        delegate: the delegate's name, "none" for the CPU alone.
        results: one per case, in the order of the cases.
        without_cases: operators that have a reference kernel and no case, where the whole suite was asked for.
        spec: how the delegate was named on the command line, "" when it was not.
        notes: what concerns the whole run.
        options: of the delegate, by name.
        patterns: one result per pattern, with its family in place of the operator.
        unexpected: ids of known failures that do not fail any more.
    """

    tables: ClassVar[Mapping[str, FormTable]] = {
        "operators": FormTable(
            ("operators",), ("op_type", "verdict", "cases", "passed", "wrong", "failed", "rejected")
        ),
        "cases": FormTable(("cases",)),
        "families": FormTable(("families",)),
        "patterns": FormTable(("patterns",)),
        "rejections": FormTable(("rejections",)),
    }

    delegate: str
    results: tuple[CaseResult, ...]
    without_cases: tuple[str, ...] = ()
    spec: str = ""
    notes: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    patterns: tuple[CaseResult, ...] = ()
    unexpected: tuple[str, ...] = ()

    @property
    def is_conformant(self) -> bool:
        """True when no case or pattern is an over-claim but for known ones, and no operator is without cases.

        Rejecting is no failure; ``judged`` says whether anything else was there.
        """
        return not self.without_cases and not any(r.verdict is Verdict.OVER_CLAIM and not r.known for r in self.all)

    @property
    def judged(self) -> int:
        """The number of cases and patterns that the delegate claimed, and can be right or wrong about."""
        unjudged = CaseOutcome.REJECTED, CaseOutcome.OUT_OF_RANGE
        return sum(result.outcome not in unjudged for result in self.all)

    @property
    def all(self) -> tuple[CaseResult, ...]:
        """The results of cases and patterns."""
        return (*self.results, *self.patterns)

    @property
    def not_usable(self) -> tuple[CaseResult, ...]:
        """The patterns that rounding explains and that are not usable: the device is right, models of them suffer."""
        return tuple(r for r in self.patterns if r.is_usable is False)

    def operators(self) -> tuple[OperatorResult, ...]:
        """The results per operator, by name."""
        return _summed_up(self.results)

    def families(self) -> tuple[OperatorResult, ...]:
        """The results of the patterns per family, by name."""
        return _summed_up(self.patterns)

    def reasons(self) -> tuple[ReasonResult, ...]:
        """The cases that are rejected, by reason: the most frequent first, then by code and words. No patterns."""
        grouped: dict[tuple[RejectCode | None, str], list[CaseResult]] = {}
        for result in self.results:
            if result.outcome is CaseOutcome.REJECTED:
                reason = result.rule or result.detail.removeprefix(f"{result.code}: ")
                grouped.setdefault((result.code, reason), []).append(result)
        found = [_reason(code, reason, of) for (code, reason), of in grouped.items()]
        return tuple(sorted(found, key=lambda each: (-each.cases, str(each.code), each.reason)))

    def _line(self) -> str:
        verdict = "conformant" if self.is_conformant else "not conformant"
        return f"of {quoted(self.delegate)}: {verdict}, {self.judged:,} of {counted(len(self.all), 'case')} judged"

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, ready for JSON. Keys are only ever added. Infinite numbers are ``"inf"``."""
        operators = self.operators()
        return {
            "delegate": self.delegate,
            "conformant": self.is_conformant,
            "judged": self.judged,
            "totals": {o.value: sum(r.outcome is o for r in self.results) for o in CaseOutcome},
            "operators": [o.to_dict() for o in operators],
            "cases": [r.to_dict() for r in self.results],
            "spec": self.spec,
            "verdicts": {v.value: sum(o.verdict is v for o in operators) for v in Verdict},
            "operators_without_cases": list(self.without_cases),
            "notes": list(self.notes),
            "options": dict(self.options),
            "families": [f.to_dict() for f in self.families()],
            "patterns": [r.to_dict() for r in self.patterns],
            "pattern_totals": {o.value: sum(r.outcome is o for r in self.patterns) for o in CaseOutcome},
            "known_failures": [r.id for r in self.all if r.known],
            "unexpectedly_passing": list(self.unexpected),
            "rejections": to_plain(self.reasons()),
            "patterns_not_usable": [r.id for r in self.not_usable],
        }


def _reason(code: RejectCode | None, reason: str, results: Sequence[CaseResult]) -> ReasonResult:
    under_claimed = sum(r.verdict is Verdict.UNDER_CLAIM for r in results)
    return ReasonResult(code, reason, len(results), under_claimed, tuple(sorted({r.op_type for r in results})))


def _summed_up(results: Sequence[CaseResult]) -> tuple[OperatorResult, ...]:
    grouped: dict[str, list[CaseResult]] = {}
    for result in results:
        grouped.setdefault(result.op_type, []).append(result)
    return tuple(_sum_up(op, of) for op, of in sorted(grouped.items()))


def _sum_up(op_type: str, results: Sequence[CaseResult]) -> OperatorResult:
    counts = Counter(r.outcome for r in results)
    verdicts = Counter(r.verdict for r in results)
    return OperatorResult(
        op_type=op_type,
        cases=len(results),
        passed=counts[CaseOutcome.PASSED],
        wrong=counts[CaseOutcome.WRONG],
        failed=counts[CaseOutcome.FAILED],
        rejected=counts[CaseOutcome.REJECTED],
        out_of_range=counts[CaseOutcome.OUT_OF_RANGE],
        max_abs=max((r.max_abs for r in results if r.max_abs is not None), default=None),
        verdict=next((v for v in _WORST_FIRST if verdicts[v]), Verdict.UNTESTED),
        under_claimed=verdicts[Verdict.UNDER_CLAIM],
        max_rel=max((r.max_rel for r in results if r.max_rel is not None), default=None),
        max_ulp=max((r.max_ulp for r in results if r.max_ulp is not None), default=None),
        snr_db=min((r.snr_db for r in results if r.snr_db is not None), default=None),
    )


def nothing_judged(found: ConformanceData) -> str:
    """A sentence on a run in which no case was claimed, with the most common reason."""
    cases = len(found.all)
    if not cases:
        return "Nothing was judged: there were no cases."
    (reason, count), *_ = Counter(result.detail for result in found.all).most_common(1)
    return (
        f"Nothing was judged: delegate '{found.delegate}' claims none of {counted(cases, 'case')} that "
        "could be compared; "
        f"the most common reason, for {count} of them: {reason.rstrip('.')}."
    )
