"""The page of large reports, odd names, several graphs or delegates, and more subgraphs than needed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lite_delegate import PartitionOptions
from lite_delegate.report.html import report_page
from tests.conformance.webdriver import Browser
from tests.report.html import reports
from tests.report.html.pages import DRAWN, PROOF, STATE, find, pixels, show, wait_for_count


def test_options_that_ask_for_more_subgraphs_are_named(browser: Browser, tmp_path: Path) -> None:
    report = replace(reports.small(), minimum_subgraphs=1)
    options = PartitionOptions(connected=True, groups=[["conv"]], max_kernels_per_subgraph=0)
    fewest = ".tile:nth-child(3) small"
    show(browser, report_page(report), tmp_path)
    assert browser.texts(fewest) == ["an order with 1 exists"]
    show(browser, report_page(replace(report, options=options)), tmp_path)
    assert browser.texts(fewest) == ["1 would do without connected and groups and max_kernels_per_subgraph=0"]
    show(browser, report_page(reports.with_two_delegates()), tmp_path)
    assert browser.texts(fewest) == ["the fewest possible for each delegate in its turn"]
    browser.click("#tab-subgraphs")
    assert browser.texts("#panel-subgraphs td[data-key=delegate]") == ["one", "two", "one"]


@pytest.mark.parametrize(("delegated", "text"), [(0, "0 %"), (1, "< 1 %"), (999, "99 %"), (1000, "100 %")])
def test_part_of_the_kernels_is_neither_all_nor_none(
    delegated: int, text: str, browser: Browser, tmp_path: Path
) -> None:
    report = replace(reports.small(), kernels_total=1000, kernels_delegated=delegated)
    show(browser, report_page(report), tmp_path)
    assert browser.texts("#facts b")[1] == text


def test_what_is_lit_up_is_in_the_graph_that_opens(browser: Browser, tmp_path: Path) -> None:
    """The main graph has no delegated node: the proof is in the body."""
    show(browser, report_page(reports.with_a_subgraph_of_the_model()), tmp_path)
    browser.click("#proof")
    browser.wait_until(DRAWN + " && document.getElementById('graphs').value === 'body'")
    assert pixels(browser, PROOF) > 100


def test_names_without_end_do_not_widen_the_tables(browser: Browser, tmp_path: Path) -> None:
    report, long = reports.small(), "x" * 10_000
    nodes = tuple(replace(n, name=f"{n.name}{long}", type=long, reason=n.reason and long) for n in report.nodes)
    subgraphs = tuple(replace(s, name=f"{s.name}{long}") for s in report.subgraphs)
    nodes = tuple(replace(n, subgraph=n.subgraph and f"{n.subgraph}{long}") for n in nodes)
    report = replace(report, nodes=nodes, subgraphs=subgraphs, model=long, delegate=long, notes=(long,))
    show(browser, report_page(report), tmp_path)
    assert browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert browser.run("return document.querySelector('#tables').scrollWidth") < 1400
    assert browser.run("return document.getElementById('left').clientHeight") > 300
    assert browser.errors() == []


def test_graphs_that_are_called_can_be_chosen(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.with_a_subgraph_of_the_model()), tmp_path)
    assert browser.texts("#graphs option") == ["main graph (1)", "body (1)"]
    assert browser.texts("h1") == ["model in memory"]
    browser.click("#panel-nodes tbody tr:nth-child(2)")
    browser.wait_until(DRAWN + " && document.getElementById('graphs').value === 'body'")
    assert browser.texts("#details h2") == ["inner"]
    browser.run("document.getElementById('details').replaceChildren()")
    browser.click_at("#canvas")
    assert browser.texts("#details h2") == ["inner"]
    browser.click("#graphs option")
    browser.wait_until(DRAWN + " && document.getElementById('graphs').value === ''")
    assert browser.errors() == []


def test_two_thousand_nodes(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.large(2000)), tmp_path)
    assert browser.texts("#facts b")[1:3] == ["90 %", "50"]
    find(browser, "node1234")
    wait_for_count(browser, "1 of 1")
    browser.wait_until(DRAWN)
    browser.run("document.getElementById('details').replaceChildren()")
    browser.click_at("#canvas")
    assert browser.texts("#details h2") == ["net/block308/node1234"]
    browser.click("#proof")
    assert pixels(browser, PROOF) > 200
    browser.click("#fit")
    browser.click("#panel-nodes th[data-key=name] button")
    assert browser.errors() == []


def test_a_very_large_graph_is_drawn_when_it_is_asked_for(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.large(5001)), tmp_path)
    browser.click("#unfold")
    browser.wait_until(STATE.format("asking"))
    assert browser.texts("#message")[0].startswith("The graph has 5,001 nodes")
    browser.click("#panel-nodes tbody tr:nth-child(3)")
    assert browser.texts("#details h2") == ["net/block0/node1"]
    browser.click("#message button")
    assert browser.texts("#message") == ["Laying out 5,001 nodes …"]
    assert browser.errors() == []
