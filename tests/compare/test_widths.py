"""The page of a comparison on a phone, a tablet and a desktop: nothing reaches beyond the screen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lite_delegate.compare import ComparisonReport, compare
from tests.compare.losing import built, far_from_zero, layer_norm
from tests.conformance.webdriver import Browser

LONG = "/model/encoder/blocks.0/attention/self/query_key_value_projection/MatMul"


@pytest.fixture(scope="module")
def report() -> ComparisonReport:
    """Errors, losses and notes, with names as exporters write them."""
    found = compare(built(layer_norm()), far_from_zero())
    subgraphs = tuple(replace(each, name=LONG) for each in found.subgraphs)
    return replace(found, model=f"{LONG}.onnx", subgraphs=subgraphs, notes=(f"Random inputs (seed 0): {LONG}.",))


@pytest.mark.parametrize("width", [390, 700, 800, 1400])
def test_nothing_overflows(width: int, report: ComparisonReport, screen: Browser, tmp_path: Path) -> None:
    screen.screen(width)
    (tmp_path / "page.html").write_text(report.to_html(), encoding="utf-8")
    screen.open(tmp_path / "page.html")
    assert len(screen.find("table.cards")) == 2
    assert screen.overflows() == []
    assert LONG in screen.texts("td.title")
    assert screen.errors() == []
