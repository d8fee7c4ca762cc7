"""What a conformance run found: per case, and summed up per operator."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from tabulate import tabulate


class Outcome(StrEnum):
    """How one case ended. Only PASSED counts as passed: what the CPU computed for a delegate does not."""

    PASSED = "passed"
    WRONG = "wrong"
    FAILED = "failed"
    REFUSED = "refused"
    OUT_OF_RANGE = "out of range"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case on one delegate.

    Attributes:
        op_type: the operator.
        name: the case.
        outcome: PASSED; WRONG: an output differs; FAILED: raised; REFUSED: the delegate does not claim it;
            OUT_OF_RANGE: it claims it, but the case has numbers that the device's storage type cannot hold.
        max_abs: the largest absolute difference over all outputs; None when nothing was compared.
        detail: what differs, what was raised, or why it was refused; "" when it passed.
    """

    op_type: str
    name: str
    outcome: Outcome
    max_abs: float | None
    detail: str


@dataclass(frozen=True, slots=True)
class OperatorResult:
    """The cases of one operator summed up."""

    op_type: str
    cases: int
    passed: int
    wrong: int
    failed: int
    refused: int
    out_of_range: int
    max_abs: float | None


@dataclass(frozen=True, slots=True)
class ConformanceReport:
    """All results of one conformance run."""

    delegate: str
    results: tuple[CaseResult, ...]

    @property
    def is_conformant(self) -> bool:
        """True when no case is wrong or failed. Refusing is honest, and no failure."""
        return not any(r.outcome in (Outcome.WRONG, Outcome.FAILED) for r in self.results)

    def operators(self) -> tuple[OperatorResult, ...]:
        """The results per operator, by name."""
        grouped: dict[str, list[CaseResult]] = {}
        for result in self.results:
            grouped.setdefault(result.op_type, []).append(result)
        return tuple(_sum_up(op, results) for op, results in sorted(grouped.items()))

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, ready for JSON."""
        return {
            "delegate": self.delegate,
            "conformant": self.is_conformant,
            "totals": {o.value: sum(r.outcome is o for r in self.results) for o in Outcome},
            "operators": [asdict(o) for o in self.operators()],
            "cases": [asdict(r) for r in self.results],
        }

    def to_json(self) -> str:
        """The report as JSON text."""
        return json.dumps(self.to_dict(), indent=2)

    def to_text(self) -> str:
        """A row per operator, then every case that is wrong or failed, with what was found."""
        rows = [
            (o.op_type, o.cases, o.passed, o.wrong, o.failed, o.refused, o.out_of_range, _number(o.max_abs))
            for o in self.operators()
        ]
        heads = ("operator", "cases", "passed", "wrong", "failed", "refused", "out of range", "max abs")
        table = tabulate(rows, heads)
        bad = [r for r in self.results if r.outcome in (Outcome.WRONG, Outcome.FAILED)]
        lines = [f"{r.outcome.value}: {r.op_type} {r.name}: {r.detail}" for r in bad]
        totals = Counter(r.outcome for r in self.results)
        summary = ", ".join(f"{totals[o]} {o.value}" for o in Outcome)
        head = f"delegate {self.delegate}: {len(self.results)} cases of {len(rows)} operators: {summary}"
        return "\n\n".join(part for part in (table, "\n".join(lines), head) if part)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2e}"


def _sum_up(op_type: str, results: Sequence[CaseResult]) -> OperatorResult:
    counts = Counter(r.outcome for r in results)
    errors = [r.max_abs for r in results if r.max_abs is not None]
    return OperatorResult(
        op_type=op_type,
        cases=len(results),
        passed=counts[Outcome.PASSED],
        wrong=counts[Outcome.WRONG],
        failed=counts[Outcome.FAILED],
        refused=counts[Outcome.REFUSED],
        out_of_range=counts[Outcome.OUT_OF_RANGE],
        max_abs=max(errors, default=None),
    )
