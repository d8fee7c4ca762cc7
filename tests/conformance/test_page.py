"""The HTML page of a conformance report: what is in it, and what a real browser makes of it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from lite_delegate import RejectCode
from lite_delegate.conformance import CaseOutcome, CaseResult, ConformanceReport, FailureKind
from tests.conformance.webdriver import Browser


def passed(op_type: str, name: str, max_abs: float, max_ulp: int, snr_db: float) -> CaseResult:
    return CaseResult(op_type, name, CaseOutcome.PASSED, max_abs, "", max_abs, max_ulp, snr_db)


def rejected(op_type: str, name: str, forced: CaseOutcome | None) -> CaseResult:
    detail = "OPERATOR: the device has no such operator"
    return CaseResult(op_type, name, CaseOutcome.REJECTED, None, detail, code=RejectCode.OPERATOR, forced=forced)


REPORT = ConformanceReport(
    "mine",
    (
        passed("AddFusion", "plain", 0.0, 0, float("inf")),
        passed("MulFusion", "plain", 2e-6, 3, 120.0),
        passed("MulFusion", "large", 4e-6, 1200, 90.0),
        CaseResult("Softmax", "hot", CaseOutcome.WRONG, 0.5, "expected 1 < 2 </script><b>bold</b>", 0.5, 99, 6.0),
        CaseResult.failed("Softmax", "stuck", FailureKind.TIMED_OUT, "the process gave no answer within 10 s"),
        rejected("Gather", "rows", CaseOutcome.PASSED),
        rejected("Where", "few", None),
    ),
    notes=("Note of the run.",),
)
NAMES = "#operators > tbody > tr.operator > td.name"


def test_the_page_needs_nothing_from_outside() -> None:
    page = REPORT.to_html()
    assert not re.findall(r"(?:src|href)\s*=|url\(|@import|https?://", page)
    assert page.count("</script>") == 2
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    read = json.loads(data)
    assert read["delegate"] == "mine"
    assert {c["name"] for c in read["cases"]} == {"hot", "stuck", "rows", "few"}
    assert read["operators"] == json.loads(REPORT.to_json())["operators"]


def show(browser: Browser, report: ConformanceReport, folder: Path) -> None:
    (folder / "page.html").write_text(report.to_html(), encoding="utf-8")
    browser.open(folder / "page.html")


def test_a_browser_shows_a_row_per_operator_worst_first(browser: Browser, tmp_path: Path) -> None:
    show(browser, REPORT, tmp_path)
    assert browser.texts("h1") == ["Operator conformance of delegate 'mine'"]
    assert browser.texts(".facts") == [
        "not conformant: 7 cases of 5 operators: 3 passed, 1 wrong, 1 failed, 2 rejected"
    ]
    assert browser.texts(NAMES) == ["Softmax", "Gather", "AddFusion", "MulFusion", "Where"]
    verdicts = ["over-claim", "under-claim", "honest", "honest", "rejected"]
    assert browser.texts("#operators > tbody td.verdict") == verdicts
    row = "#operators > tbody > tr[data-op=MulFusion] > td"
    cells = ["MulFusion", "honest", "2", "2", "0", "0", "0", "0", "0", "4.0e-6", "4.0e-6", "1,200", "90"]
    assert browser.texts(row) == cells
    assert "Note of the run." in browser.texts(".alarm")
    assert browser.errors() == []


def test_a_click_opens_and_closes_the_cases(browser: Browser, tmp_path: Path) -> None:
    show(browser, REPORT, tmp_path)
    assert browser.find("tr.inside") == []
    browser.click("tr[data-op=Softmax] td.name")
    assert browser.texts("tr.inside tr[data-case=hot] td") == [
        "hot",
        "over-claim",
        "wrong: expected 1 < 2 </script><b>bold</b>",
        "",
    ]
    assert browser.texts("tr.inside tr[data-case=stuck] td")[2] == "timed out: the process gave no answer within 10 s"
    browser.click("tr[data-op=Gather] button")
    assert browser.texts("tr.inside tr[data-case=rows] td")[1:] == [
        "under-claim",
        "rejected: OPERATOR: the device has no such operator",
        "passed",
    ]
    browser.click("tr[data-op=Softmax] td.name")
    assert len(browser.find("tr.inside")) == 1


def test_columns_sort_both_ways_and_what_is_missing_is_last(browser: Browser, tmp_path: Path) -> None:
    show(browser, REPORT, tmp_path)
    browser.click("th[data-key=max_abs] button")
    assert browser.texts(NAMES) == ["Softmax", "MulFusion", "AddFusion", "Gather", "Where"]
    browser.click("th[data-key=max_abs] button")
    assert browser.texts(NAMES) == ["AddFusion", "MulFusion", "Softmax", "Gather", "Where"]
    browser.click("th[data-key=snr_db] button")
    assert browser.texts(NAMES) == ["Softmax", "MulFusion", "AddFusion", "Gather", "Where"]
    browser.click("th[data-key=op_type] button")
    assert browser.texts(NAMES) == sorted(browser.texts(NAMES))
    assert len(browser.find("th[aria-sort=ascending]")) == 1


def test_rejections_are_shown_by_reason(browser: Browser, tmp_path: Path) -> None:
    show(browser, REPORT, tmp_path)
    cells = ["2", "1", "OPERATOR", "the device has no such operator", "Gather, Where"]
    assert browser.texts("#reasons td") == cells
    show(browser, replace(REPORT, results=REPORT.results[:3]), tmp_path)
    assert browser.find("#reasons[hidden]") != []


def test_filters_by_verdict_and_name(browser: Browser, tmp_path: Path) -> None:
    show(browser, REPORT, tmp_path)
    browser.click(".controls button[data-verdict=honest]")
    assert browser.texts(NAMES) == ["AddFusion", "MulFusion"]
    browser.type(".controls input", "MUL")
    assert browser.texts(NAMES) == ["MulFusion"]
    browser.type(".controls input", "x")
    assert browser.texts("#nothing") == ["No operator fits the filter."]


def test_a_conformant_report_says_so(browser: Browser, tmp_path: Path) -> None:
    good = replace(REPORT, results=REPORT.results[:3], notes=())
    show(browser, good, tmp_path)
    assert browser.texts(".facts strong") == ["conformant"]
    assert browser.find(".alarm") == []
    show(browser, replace(good, without_cases=("Erf",)), tmp_path)
    assert browser.texts(".facts strong") == ["not conformant"]
    assert browser.texts(".alarm") == ["Operators without cases: Erf"]


@pytest.mark.parametrize("width", [390, 700, 800, 1400])
def test_nothing_overflows_whatever_is_clicked(width: int, screen: Browser, tmp_path: Path) -> None:
    detail = "RANK: output 0 may have 4 dimensions at most, has shape [2, 1, 3, 2, 3]"
    long = CaseResult(
        "MediapipeTransformTensorBilinearFusion",
        "one_element_of_higher_rank_with_an_activation_and_a_bias",
        CaseOutcome.REJECTED,
        None,
        detail,
        code=RejectCode.RANK,
        forced=CaseOutcome.FAILED,
        forced_detail=f"COMPILE_FAILED: {detail}",
    )
    screen.screen(width)
    show(screen, replace(REPORT, results=(*REPORT.results, long)), tmp_path)
    assert screen.overflows() == []
    screen.run(
        "[...document.querySelectorAll('.open')].forEach((_, at) => document.querySelectorAll('.open')[at].click())"
    )
    assert len(screen.find("tr.inside")) == 6
    assert screen.overflows() == []
    screen.click("#operators > thead th[data-key=op_type] button")
    screen.click(".controls button[data-verdict=rejected]")
    screen.type(".controls input", "x")
    assert screen.overflows() == []
    assert screen.errors() == []


def test_words_of_the_conformance_page_stay_whole(screen: Browser, tmp_path: Path) -> None:
    screen.screen(390)
    show(screen, REPORT, tmp_path)
    screen.click("tr[data-op=Softmax] td.name")
    lines = "[...document.querySelectorAll('td.verdict, tr.operator td.name button, .controls button')]"
    heights = screen.run(f"return {lines}.map((each) => each.getBoundingClientRect().height)")
    assert max(heights) < 40


def test_the_filters_count_the_rows_of_the_table(browser: Browser, tmp_path: Path) -> None:
    """Families of patterns have rows as operators have."""
    show(browser, replace(REPORT, patterns=(passed("chains", "softmax_gather", 0.0, 0, 120.0),)), tmp_path)
    rows = len(browser.find(NAMES))
    assert rows == 6
    assert browser.texts(".controls button")[0] == f"all {rows}"
    counts = [int(text.split()[-1]) for text in browser.texts(".controls button")[1:]]
    assert sum(counts) == rows
