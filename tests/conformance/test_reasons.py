"""What a delegate rejects, by reason: how cases are grouped, and where the groups are shown."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from lite_delegate import Delegate, Kernel, RejectCode, Rejected, SupportResult
from lite_delegate.conformance import (
    RENDERERS,
    CaseOutcome,
    CaseResult,
    ConformanceCase,
    ConformanceReport,
    ReasonResult,
    run_conformance,
)


def rejected(op_type: str, code: RejectCode | None, rule: str, found: str, *, forced: bool = False) -> CaseResult:
    detail = f"{code}: {rule}, {found}" if code else found
    outcome = CaseOutcome.PASSED if forced else None
    return CaseResult(op_type, found, CaseOutcome.REJECTED, None, detail, code=code, rule=rule, forced=outcome)


RANK = "rank up to 4"
REPORT = ConformanceReport(
    "mine",
    (
        CaseResult("Exp", "plain", CaseOutcome.PASSED, 0.0, ""),
        rejected("Exp", RejectCode.DTYPE, "float32 only", "is float64"),
        rejected("Log", RejectCode.RANK, RANK, "is 5", forced=True),
        rejected("Abs", RejectCode.RANK, RANK, "is 6"),
        rejected("Log", RejectCode.RANK, RANK, "is 7"),
        rejected("Log", RejectCode.LIMIT, RANK, "is 8"),
        CaseResult("Sin", "a", CaseOutcome.REJECTED, None, "LIMIT: 3 are too many", code=RejectCode.LIMIT),
        rejected("Cos", None, "", "no kernel"),
    ),
    patterns=(rejected("chains", RejectCode.RANK, RANK, "is 9"),),
)


def test_cases_of_one_rule_are_one_row_and_the_most_frequent_is_first() -> None:
    assert REPORT.reasons() == (
        ReasonResult(RejectCode.RANK, RANK, 3, 1, ("Abs", "Log")),
        ReasonResult(RejectCode.DTYPE, "float32 only", 1, 0, ("Exp",)),
        ReasonResult(RejectCode.LIMIT, "3 are too many", 1, 0, ("Sin",)),
        ReasonResult(RejectCode.LIMIT, RANK, 1, 0, ("Log",)),
        ReasonResult(None, "no kernel", 1, 0, ("Cos",)),
    )


class Picky(Delegate):
    """Rejects by a rule, and says what it found."""

    name = "picky"

    def supports(self, kernel: Kernel) -> SupportResult:
        return Rejected.by_rule(RejectCode.SHAPE, "one element", f"has {kernel.inputs[0].shape}")


def test_the_rule_is_what_the_delegate_says() -> None:
    cases = [
        ConformanceCase(f"of_{size}", "Abs", (np.ones(size, np.float32),), (np.ones(size, np.float32),), source="hand")
        for size in (2, 3)
    ]
    report = run_conformance(cases, Picky(), force=False)
    assert [r.detail for r in report.results] == ["SHAPE: one element, has [2]", "SHAPE: one element, has [3]"]
    assert report.reasons() == (ReasonResult(RejectCode.SHAPE, "one element", 2, 0, ("Abs",)),)


def test_text_has_the_first_of_them_and_counts_the_rest() -> None:
    lines = REPORT.to_text().split("rejected, by reason:\n")[1].splitlines()
    assert lines[0].split() == ["cases", "under", "code", "reason", "operators"]
    assert lines[2].split() == ["3", "1", "RANK", *RANK.split(), "Abs,", "Log"]
    many = tuple(rejected(op, RejectCode.RANK, f"{rule:02}", "") for op in "abcdef" for rule in range(30))
    text = replace(REPORT, results=many).to_text()
    assert "and 10 more reasons, of 60 cases" in text
    assert "a, b, c, d and 2 more" in text
    assert "by reason" not in replace(REPORT, results=REPORT.results[:1]).to_text()


def test_json_has_all() -> None:
    data = json.loads(REPORT.to_json())
    assert data["rejections"][0] == {
        "code": "RANK",
        "reason": RANK,
        "cases": 3,
        "under_claimed": 1,
        "operators": ["Abs", "Log"],
    }
    assert [each["cases"] for each in data["rejections"]] == [3, 1, 1, 1, 1]
    assert data["cases"][2]["rule"] == RANK


@pytest.mark.parametrize("count", [1, 8])
def test_junit_has_them_as_properties_of_a_suite_without_tests(count: int) -> None:
    report = replace(REPORT, results=REPORT.results[:count])
    root = ET.fromstring(RENDERERS["junit"](report))
    found = root.findall("./testsuite[@name='rejected, by reason'][@tests='0']/properties/property")
    assert len(found) == len(report.reasons())
    assert count == 1 or found[0].attrib == {"name": f"RANK: {RANK}", "value": "3 cases, 1 right by force: Abs, Log"}
