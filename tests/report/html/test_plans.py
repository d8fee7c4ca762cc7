"""The page of a report with the plans among which the fastest was looked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lite_delegate.report import PartitionReport
from lite_delegate.report.html import report_page
from lite_delegate.runtime.records import AlternativeRecord, CalibrationRecord
from tests.conformance.webdriver import Browser
from tests.report.html import reports
from tests.report.html.pages import show

PLANS = (
    AlternativeRecord("acme", 2800.6, chosen=False, spread_us=62.7, again_us=2805.0),
    AlternativeRecord("acme, CPU", 2677.7, chosen=True, spread_us=158.9, again_us=2670.2),
    AlternativeRecord("CPU", None, chosen=False, reason="given up after 9,111.7 us"),
)


def with_plans() -> PartitionReport:
    nodes = tuple(replace(node, host_us=5000.0) for node in reports.small().nodes)
    calibration = CalibrationRecord(280_000.0, 180_000.0, 130_000.0)
    return replace(reports.small(), nodes=nodes, alternatives=PLANS, calibration=calibration)


def test_plans_stand_in_a_table_with_what_they_take(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(with_plans()), tmp_path)
    assert browser.texts("#tab-plans") == ["Plans 3"]
    browser.click("#tab-plans")

    def column(key: str) -> list[str]:
        return browser.texts(f"#panel-plans td[data-key={key}]")

    assert column("plan") == ["acme", "acme, CPU ✓", "CPU"]
    assert column("measured") == ["2.80 ms", "2.68 ms", ""]
    assert column("spread") == ["62.7 µs", "158.9 µs", ""]
    assert column("again") == ["2.81 ms", "2.67 ms", ""]
    assert column("estimated") == []
    assert column("reason") == ["", "", "given up after 9,111.7 us"]
    assert browser.texts("#panel-plans p") == [
        "Found in 410.00 ms: 280.00 ms making plans (180.00 ms the one that stays), 130.00 ms measuring them."
    ]
    assert browser.errors() == []


def test_the_verdict_is_that_of_the_plan_that_was_measured(browser: Browser, tmp_path: Path) -> None:
    """Two of four nodes of 5 ms each are delegated, and all of it was measured to take 2,677.7 us."""
    report = with_plans()
    show(browser, report_page(report), tmp_path)
    assert browser.texts("#facts .tile:last-child b") == ["yes"]
    assert "50 % of the CPU's 20.00 ms" in browser.texts("#facts .tile:last-child small")[0]
    assert report.verdict is not None
    title = browser.run("return document.querySelector('#facts .tile:last-child').title")
    assert title == report.verdict.text


def test_a_report_without_plans_has_no_such_tab(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.small()), tmp_path)
    assert browser.find("#tab-plans") == []
