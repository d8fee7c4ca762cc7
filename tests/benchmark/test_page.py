"""The page of a benchmark: it has what the text has, and fits a phone, a tablet and a desktop."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lite_delegate.benchmark import BenchmarkReport
from tests.benchmark.test_text import large, small
from tests.conformance.webdriver import Browser

EVIL = "</td></table><script>alert(1)</script>"


@pytest.mark.parametrize("width", [390, 700, 800, 1400])
@pytest.mark.parametrize("make", [small, large], ids=["small", "large"])
def test_nothing_overflows(width: int, make: object, screen: Browser, tmp_path: Path) -> None:
    assert callable(make)
    show(make(), screen, tmp_path, width)
    assert len(screen.find("table.cards")) == 7
    assert screen.overflows() == []
    assert screen.errors() == []


def test_the_page_has_the_summary_and_the_figures_of_the_text(screen: Browser, tmp_path: Path) -> None:
    show(small(), screen, tmp_path, 1400)
    assert screen.texts("h1") == ["Benchmark of a model in memory"]
    words = dict(zip(screen.texts("dt"), screen.texts("dd"), strict=True))
    assert words["unexplained"] == "0.11% of the wall time; median of the runs 0.11%"
    assert screen.texts("h2")[:2] == ["Latency, measured on this host", "Where the time of a prediction goes (mean)"]
    rows = [row.split() for row in screen.texts("tr")]
    assert ["compute", "0.006", "66.30%"] in rows


def test_names_are_shown_as_they_are(screen: Browser, tmp_path: Path) -> None:
    show(replace(small(), model=EVIL, notes=(EVIL,)), screen, tmp_path, 800)
    assert screen.texts("h1") == [f"Benchmark of {EVIL}"]
    assert EVIL in screen.texts("dd")
    assert screen.find("script") == []


def show(report: BenchmarkReport, screen: Browser, folder: Path, width: int) -> None:
    screen.screen(width)
    (folder / "page.html").write_text(report.to_html(), encoding="utf-8")
    screen.open(folder / "page.html")
