"""The page of a report on a phone, a tablet and a desktop: nothing reaches beyond the screen, no text is cut."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lite_delegate.report import PartitionReport, WhatIf, WhatIfKind
from lite_delegate.report.html import report_page
from lite_delegate.runtime.records.records import SourceRecord
from tests.conformance.webdriver import Browser
from tests.report.html import reports
from tests.report.html.pages import DRAWN, show

WIDTHS = (390, 800, 1100, 1400)


def name_of(i: int) -> str:
    """Two nodes in each block."""
    return f"/model/encoder/blocks.{i // 2}/attention/self/query_key_value_projection/MatMul_{i % 2}"


def with_long_names() -> PartitionReport:
    """Names as exporters write them, with long reasons, and what would help."""
    report = reports.large(80)
    nodes = tuple(
        replace(
            node,
            sources=(SourceRecord(name_of(i), "MatMul", (), (i,)),),
            reason=node.reason and f"output 0 must have at most 4 dimensions, has shape [1, 12, 197, 64, {i}]",
        )
        for i, node in enumerate(report.nodes)
    )
    rejected = [node.name for node in nodes if node.subgraph is None]
    rows = tuple(
        WhatIf(WhatIfKind.NODE, "npu", "Resize", name, (name,), {"OPERATOR": 1}, 2, 1, 1, 8384, 288, 100.0, 79.0)
        for name in rejected
    )
    notes = ("Open dimensions: 'input' [batch, 3, height, width] is taken as [1, 3, 320, 320].",)
    return replace(report, nodes=nodes, what_if=rows, notes=notes, model="models/vision_transformer_tiny_patch16.onnx")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("report", [reports.small(), with_long_names()], ids=["small", "long-names"])
def test_nothing_overflows_whatever_is_clicked(
    report: PartitionReport, width: int, screen: Browser, tmp_path: Path
) -> None:
    screen.screen(width)
    show(screen, report_page(report), tmp_path)
    assert screen.overflows() == []
    for tab in screen.run("return [...document.querySelectorAll('#tabs button')].map((each) => each.id)"):
        screen.click(f"#{tab}")
        assert screen.overflows() == []
        screen.run(f"document.querySelector('#{tab.replace('tab', 'panel')} tbody tr').click()")
        screen.wait_until(DRAWN)
        assert screen.overflows() == []
    screen.click("#tab-nodes")
    screen.run("document.querySelector('.fold')?.click()")
    screen.wait_until(DRAWN)
    assert screen.overflows() == []
    screen.type("#search", "conv")
    screen.click("#proof")
    screen.click("#theme")
    assert screen.overflows() == []
    assert screen.errors() == []


def test_a_narrow_screen_has_a_card_for_each_row(screen: Browser, tmp_path: Path) -> None:
    """The name comes first, whole and in a line of its own; the heads stay, to sort by."""
    screen.screen(390)
    show(screen, report_page(with_long_names()), tmp_path)
    first = "#panel-nodes tbody tr:nth-child(2) td"
    seen = f"[...document.querySelectorAll('{first}')].filter((each) => each.checkVisibility())"
    cells = screen.run(f"return {seen}.map((each) => [each.getBoundingClientRect().top, each.dataset.key])")
    assert min(cells)[1] == "name"
    assert screen.texts(f"{first}[data-key=name]") == [name_of(0)]
    screen.click("#panel-nodes th[data-key=name] button")
    assert len(screen.find("#panel-nodes th[aria-sort=ascending]")) == 1


def test_words_break_behind_their_separators_only(screen: Browser, tmp_path: Path) -> None:
    screen.screen(390)
    show(screen, report_page(with_long_names()), tmp_path)
    lines = screen.run("""
      const cell = document.querySelector("#panel-nodes tr:nth-child(2) td[data-key=name]");
      const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      const texts = [];
      while (walker.nextNode()) texts.push(walker.currentNode);
      return texts.map((text) => {
        const range = document.createRange();
        range.selectNode(text);
        return range.getClientRects().length;
      });""")
    assert set(lines) == {1}


def test_what_if_rows_have_the_names_of_the_file(screen: Browser, tmp_path: Path) -> None:
    report = with_long_names()
    show(screen, report_page(report), tmp_path)
    screen.click("#tab-what-if")
    names = [text.splitlines()[0] for text in screen.texts("#panel-what-if td[data-key=subject]")]
    rejected = [i for i, node in enumerate(report.nodes) if node.subgraph is None]
    assert names == [name_of(i) for i in rejected]


def test_the_text_of_a_node_fits_its_box(screen: Browser, tmp_path: Path) -> None:
    """The widest letters there are: of each line the box shows as much as has room."""
    report = reports.small()
    wide = tuple(replace(node, name=f"{node.name}{'W' * 60}", type="M" * 60) for node in report.nodes)
    subgraphs = tuple(replace(s, name=f"{s.name}{'W' * 60}") for s in report.subgraphs)
    nodes = tuple(replace(node, subgraph=node.subgraph and f"{node.subgraph}{'W' * 60}") for node in wide)
    show(screen, report_page(replace(report, nodes=nodes, subgraphs=subgraphs)), tmp_path)
    boxes = screen.run(r"""
      const pen = document.createElement("canvas").getContext("2d");
      const { cy } = document.getElementById("canvas")._cyreg;
      const widest = (node) => {
        pen.font = `${node.style("font-weight")} ${node.style("font-size")} ${node.style("font-family")}`;
        return Math.max(...node.data("label").split("\n").map((line) => pen.measureText(line).width));
      };
      const titleOf = (region) => cy.getElementById(`title:${region.id()}`);
      return [
        ...cy.nodes(".node, .pill").map((node) => [widest(node), node.width()]),
        ...cy.nodes(".region").map((region) => [widest(titleOf(region)), region.width()]),
      ];""")
    assert len(boxes) == 4 + 3 + 2
    assert all(0 < text < width for text, width in boxes)
