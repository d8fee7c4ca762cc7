"""Layers of the page: folded and unfolded by path, colored by a figure, and nodes that an address leads to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from lite_delegate.report import PartitionReport
from lite_delegate.report.html import report_page
from lite_delegate.runtime.records.records import SourceRecord
from tests.conformance.webdriver import Browser
from tests.report.html import reports
from tests.report.html.pages import DRAWN, PROOF, find, pixels, show

ROWS = "#panel-nodes tbody tr:not([hidden])"
NAMES = f"{ROWS} td[data-key=name]"
BLOCK = "net/block0"


def drawn(browser: Browser, selector: str) -> list[str]:
    """The labels of what is drawn."""
    cy = "document.getElementById('canvas')._cyreg.cy"
    return [str(label) for label in browser.run(f"return {cy}.nodes('{selector}').map((each) => each.data('label'))")]


def timed(count: int) -> PartitionReport:
    """Node i takes 2 ** i microseconds on the CPU."""
    report = reports.large(count)
    return replace(report, nodes=tuple(replace(node, host_us=2.0**i) for i, node in enumerate(report.nodes)))


def test_a_large_graph_opens_folded_and_a_layer_unfolds_in_table_and_drawing(browser: Browser, tmp_path: Path) -> None:
    """Four nodes in each block."""
    show(browser, report_page(reports.large(200)), tmp_path)
    assert len(browser.find(ROWS)) == len(drawn(browser, ".node")) == 50
    assert drawn(browser, ".layer")[0] == f"▸ {BLOCK}\n4 nodes"
    browser.click(f"{ROWS} .fold")
    browser.wait_until(DRAWN)
    assert browser.texts(NAMES)[:6] == [BLOCK, *(f"{BLOCK}/node{i}" for i in range(4)), "net/block1"]
    assert len(drawn(browser, ".node")) == 53
    browser.click(f"{ROWS} .fold")
    browser.wait_until(DRAWN)
    assert len(browser.find(ROWS)) == len(drawn(browser, ".node")) == 50
    assert browser.errors() == []


def test_all_layers_fold_and_unfold(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.large(40)), tmp_path)
    assert len(drawn(browser, ".node")) == 40
    browser.click("#fold")
    browser.wait_until(DRAWN)
    assert len(drawn(browser, ".layer")) == len(browser.find(ROWS)) == 10
    browser.click("#proof")
    assert pixels(browser, PROOF) > 200
    browser.click("#unfold")
    browser.wait_until(DRAWN)
    assert (len(drawn(browser, ".layer")), len(browser.find(ROWS))) == (0, 50)


def test_a_click_on_a_folded_layer_tells_of_it_and_unfolds_it(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.large(200)), tmp_path)
    browser.click(ROWS)
    browser.click_at("#canvas")
    assert browser.texts("#details h2") == [BLOCK]
    assert browser.texts("#details .names li") == [f"{BLOCK}/node{i}" for i in range(4)]
    browser.click("#unfold-this")
    browser.wait_until(DRAWN)
    assert f"{BLOCK}/node0" in browser.texts(NAMES)


def test_the_part_of_a_layer_in_each_subgraph_is_a_box_of_its_own(browser: Browser, tmp_path: Path) -> None:
    """Of a block of eight nodes the last four are on the CPU."""
    report = reports.large(80)
    nodes = tuple(
        replace(node, sources=(SourceRecord(f"/blocks/{i // 8}/node{i}", "Conv", (), (i,)),))
        for i, node in enumerate(report.nodes)
    )
    show(browser, report_page(replace(report, nodes=nodes)), tmp_path)
    browser.click("#fold")
    browser.wait_until(DRAWN)
    labels = drawn(browser, ".layer")
    assert labels.count("▸ /blocks/4\n4 nodes") == 2
    assert labels.count("▸ /blocks/0\n8 nodes") == 1
    assert "2 places" in browser.texts(f"{ROWS} td[data-key=place]")


def test_a_sorted_table_has_nodes_only(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.large(200)), tmp_path)
    browser.click("#panel-nodes th[data-key=type] button")
    assert len(browser.find(ROWS)) == 200
    assert browser.texts(f"{ROWS} td[data-key=type]")[0] == "AddFusion"
    browser.click("#panel-nodes th[data-key=index] button")
    browser.click("#panel-nodes th[data-key=index] button")
    assert len(browser.find(ROWS)) == 50


def test_search_finds_nodes_of_folded_layers(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.large(200)), tmp_path)
    find(browser, "node123")
    browser.wait_until(DRAWN)
    assert browser.texts(NAMES) == ["net/block30/node123"]
    assert browser.texts("#details h2") == ["net/block30/node123"]
    assert len(drawn(browser, ".node")) == 53


def test_colors_say_the_time_with_a_legend(browser: Browser, tmp_path: Path) -> None:
    """Ends of the scale: 1 us and 2 ** 9 us."""
    show(browser, report_page(timed(10)), tmp_path)
    assert browser.find("#legend[hidden]") != []
    assert browser.texts("#figure option") == ["color: device", "color: CPU time"]
    browser.click("#figure option[value=time]")
    assert browser.texts("#legend b, #legend span:not(.band)") == ["CPU time", "1.0 µs", "512.0 µs"]
    assert pixels(browser, (173, 27, 11)) > 200  # hsl(6, 88%, 36%), of the slowest
    assert pixels(browser, (251, 246, 197)) > 200  # hsl(54, 88%, 88%), of the quickest
    browser.click("#figure option[value='']")
    assert pixels(browser, (173, 27, 11)) == 0
    assert browser.texts(f"{ROWS} td[data-key=time]")[0] == "15.0 µs"  # of the first layer, 1 + 2 + 4 + 8


def test_an_address_leads_to_a_node(browser: Browser, tmp_path: Path) -> None:
    name = "net/block30/node123"
    show(browser, report_page(reports.large(200)), tmp_path, fragment=f"node={quote(name, safe='')}")
    assert browser.texts("#details h2") == [name]
    assert browser.texts(f"{ROWS}.chosen td[data-key=name]") == [name]
    box = "document.querySelector('tr.chosen').getBoundingClientRect()"
    assert browser.run(f"return {box}.top > 0 && {box}.bottom <= innerHeight")
    browser.run("location.hash = '#node=net/block1/node4'")
    browser.wait_until("document.querySelector('#details h2')?.textContent === 'net/block1/node4'")


def test_the_address_follows_what_is_chosen_by_the_names_of_the_file(browser: Browser, tmp_path: Path) -> None:
    report = reports.small()
    named = replace(report.nodes[0], sources=(SourceRecord("/stem/Conv", "Conv", (), (0,)),))
    page = report_page(replace(report, nodes=(named, *report.nodes[1:])))
    show(browser, page, tmp_path)
    browser.click("#panel-nodes tbody tr:first-child")
    assert browser.run("return location.hash") == "#node=%2Fstem%2FConv"
    browser.click("#tab-subgraphs")
    browser.click("#panel-subgraphs tbody tr:first-child")
    assert browser.run("return location.hash") == ""
    show(browser, page, tmp_path, fragment="node=conv")
    assert browser.texts("#details h2") == ["/stem/Conv"]
