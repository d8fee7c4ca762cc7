"""Patterns that pass because rounding explains what differs, and of which too little is left."""

from __future__ import annotations

import json

import pytest

from lite_delegate.conformance.reports.report import ConformanceReport
from lite_delegate.conformance.reports.results import CaseOutcome, CaseResult


def result(
    name: str, snr_db: float | None, max_abs: float | None = 1.0, outcome: CaseOutcome = CaseOutcome.PASSED
) -> CaseResult:
    return CaseResult("layers", name, outcome, max_abs, "", snr_db=snr_db)


@pytest.mark.parametrize(
    ("found", "usable"),
    [
        (result("near", 20.0), True),
        (result("far", 19.9), False),
        (result("noise", float("-inf")), False),
        (result("next to nothing", 3.0, max_abs=1e-7), True),
        (result("no numbers", None), None),
        (result("wrong", 3.0, outcome=CaseOutcome.WRONG), None),
        (result("rejected", None, None, CaseOutcome.REJECTED), None),
    ],
)
def test_what_passed_is_usable_or_not(found: CaseResult, usable: bool | None) -> None:
    assert found.is_usable is usable


def test_the_report_names_them_and_stays_conformant() -> None:
    report = ConformanceReport("half", (), patterns=(result("near", 60.0), result("far", 5.0)))
    assert report.is_conformant
    assert "not usable: below 20 dB:\nlayers far: 5 dB" in report.to_text()
    assert json.loads(report.to_json())["patterns_not_usable"] == ["layers-far"]
