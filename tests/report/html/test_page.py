"""The page of a partition report: what is in it, and what a real browser makes of it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

from lite_delegate.report import PartitionReport, WhatIf, WhatIfKind
from lite_delegate.report.html import data_page, report_page
from lite_delegate.runtime.records.records import (
    DelegateRecord,
    NamedNode,
    PlacementRecord,
    RewriteRecord,
    SourceRecord,
)
from tests.conformance.webdriver import Browser
from tests.report.html import reports
from tests.report.html.pages import (
    ARROW_LEFT,
    ARROW_RIGHT,
    BOUNDARY,
    EDGE,
    ENTER,
    NAMES,
    PROOF,
    find,
    pixels,
    show,
    wait_for_count,
)


def embedded(page: str) -> str:
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return str(data)


def test_the_data_is_the_report_and_nothing_in_it_can_end_the_element() -> None:
    report = reports.small()
    page = report_page(report)
    assert json.loads(embedded(page)) == json.loads(report.to_json())
    assert page.lower().count("</script") == page.lower().count("<script") == 3
    assert "<!--" not in page
    assert reports.EVIL not in page


def test_marks_in_the_data_stay_as_they_are() -> None:
    marked = "{{ script }}{{ data }}"
    page = report_page(replace(reports.small(), notes=(marked,)))
    assert json.loads(embedded(page))["notes"] == [marked]


def test_a_page_of_a_report_that_was_read_back_is_the_same() -> None:
    report = reports.small()
    assert data_page(json.loads(report.to_json())) == report_page(report)
    assert report_page(PartitionReport.from_json(report.to_json())) == report_page(report)


def test_the_page_takes_less_than_a_megabyte_beside_the_data() -> None:
    page = report_page(reports.small())
    assert len(page.encode()) - len(embedded(page)) < 1_000_000


def test_the_page_has_the_licences_of_what_is_bundled() -> None:
    page = report_page(reports.small())
    assert "The Cytoscape Consortium" in page
    assert "Eclipse Public License - v 2.0" in page


def test_the_page_opens_offline_and_complains_of_nothing(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.small()), tmp_path)
    assert browser.texts("h1") == ["small.ms"]
    assert browser.texts("#facts b") == ["npu", "50 %", "2", "8.38 kB", "1.52 ms"]
    assert browser.texts(".tile small")[1:] == ["the fewest possible", "per prediction", "an estimate, not measured"]
    assert browser.texts(".note") == ["A note of the model."]
    assert (
        browser.run("return performance.getEntriesByType('resource').filter((e) => !/^blob:/.test(e.name)).length") == 0
    )
    assert browser.errors() == []


def test_what_placement_by_gain_came_to_is_said_with_its_sources(browser: Browser, tmp_path: Path) -> None:
    placement = PlacementRecord(2000.0, 500.0, 250.0, "measured", "estimate", "estimate")
    delegates = (DelegateRecord("npu", 2, 2, 2, ("conv", reports.EVIL, "add"), placement),)
    first, second = reports.small().subgraphs
    subgraphs = (replace(first, saved_us=2.5e6), second)
    show(browser, report_page(replace(reports.small(), delegates=delegates, subgraphs=subgraphs)), tmp_path)
    browser.click("#tab-subgraphs")
    assert browser.texts("#panel-subgraphs td[data-key=saved]") == ["2.50 s", ""]
    assert browser.texts(".choice") == [
        "One kernel after the other: all on the CPU 2.00 ms, all that 'npu' claims on it 500.0 µs, as chosen 250.0 µs "
        "(CPU: measured, device: estimate, transfers: estimate)."
    ]


def test_a_page_cannot_fetch_anything(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.small()), tmp_path)
    browser.run("fetch('http://127.0.0.1:9/').catch((e) => { window.refused = String(e); })")
    browser.wait_until("window.refused")
    assert any("Content Security Policy" in message for message in browser.errors())


def test_a_click_on_a_node_says_what_is_known_of_it(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.small()), tmp_path)
    find(browser, "resize")
    browser.run("document.getElementById('details').replaceChildren()")
    browser.click_at("#canvas")
    assert browser.texts("#details h2") == [reports.EVIL]
    assert browser.texts("#details .reason") == ["OPERATOR the device has no Resize"]
    assert browser.texts("#details .hint") == ["What can be done: take a profile with Resize"]
    assert browser.texts("#details dd")[0] == "CPU"
    assert browser.texts("#details .crosses") == ["first\nFLOAT32 · 1×4×4 · 4.10 kB · boundary"] + [
        "second\nFLOAT32 · 1×4×4 · 64 B · boundary"
    ]
    browser.click_at("#canvas", 0, 300)
    assert browser.find("#details h2") == []
    assert browser.errors() == []


def test_a_delegated_node_shows_its_attributes_device_and_constants(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.small()), tmp_path)
    find(browser, "conv")
    assert browser.texts("#details h2") == ["conv"]
    assert browser.texts("#details dd") == ["npu", "Group0", "[2,2]"]
    assert "weight\nFLOAT32 · 1×4×4 · 64 B · constant" in browser.texts("#details .tensors li")
    assert browser.find("#details .reason") == []


def test_nodes_go_by_what_they_are_in_the_file(browser: Browser, tmp_path: Path) -> None:
    report = reports.small()
    conv, *rest = report.nodes
    sources = (SourceRecord("/stem/Conv", "Conv"), SourceRecord("Relu", "Relu", ("loop", "body")))
    page = report_page(replace(report, nodes=(replace(conv, sources=sources), *rest)))
    show(browser, page, tmp_path)
    find(browser, "loop/body/relu")
    assert browser.texts(NAMES) == ["/stem/Conv (+1)"]
    assert browser.texts("#details h2") == ["/stem/Conv (+1)"]
    assert browser.texts("#details header p") == ["Conv, Relu"]
    assert browser.texts("#details .names li") == ["/stem/Conv (Conv)", "loop/body/Relu (Relu)"]
    assert f"{conv.name} ({conv.type})" in browser.texts("#details p")
    assert browser.errors() == []


def test_a_click_on_a_subgraph_and_on_a_tensor(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.small()), tmp_path)
    browser.click("#tab-subgraphs")
    browser.click("#panel-subgraphs tbody tr:nth-child(2)")
    assert browser.texts("#details h2") == ["Group1"]
    assert browser.texts("#details dd") == ["1", "4.22 kB per prediction", "20.0 µs (not measured)"]
    find(browser, "resize")
    browser.click_at("#canvas", 0, 34)
    assert browser.texts("#details header p") == ["tensor"]
    assert browser.texts("#details h2") == ["second"]
    assert browser.texts("#details dd") == [
        "FLOAT32",
        "1×4×4",
        "64 B",
        reports.EVIL,
        "add",
        "it crosses the boundary of a subgraph",
    ]


def test_search_finds_by_name_type_and_code(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.small()), tmp_path)
    browser.type("#search", "operator")
    wait_for_count(browser, "2 of 4")
    assert browser.texts(NAMES) == [reports.EVIL, "beside"]
    browser.type("#search", ENTER)
    wait_for_count(browser, "1 of 2")
    browser.type("#search", ENTER)
    assert browser.texts("#details h2") == ["beside"]
    browser.type("#search", " nothing")
    wait_for_count(browser, "0 of 4")
    assert browser.texts("#nothing") == ["No node fits."]
    assert browser.texts(NAMES) == []


def test_proof_and_boundary_light_up(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.small()), tmp_path)
    assert (pixels(browser, PROOF), pixels(browser, BOUNDARY)) == (0, 0)
    browser.click("#proof")
    assert pixels(browser, PROOF) > 200
    assert pixels(browser, BOUNDARY) == 0
    browser.click("#proof")
    browser.click("#boundary")
    assert pixels(browser, PROOF) == 0
    assert pixels(browser, BOUNDARY) > 200
    browser.click("#boundary")
    assert (pixels(browser, PROOF), pixels(browser, BOUNDARY)) == (0, 0)
    assert browser.errors() == []


def test_regions_hide_no_edges(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.large(36)), tmp_path)
    outside = 40  # of the one edge that leads into the region
    assert len(browser.find("#panel-subgraphs tbody tr")) == 1
    assert pixels(browser, EDGE) > 5 * outside


def test_subgraphs_of_earlier_delegates_are_steps_of_a_proof(browser: Browser, tmp_path: Path) -> None:
    report = reports.with_two_delegates()
    show(browser, report_page(replace(report, delegates=report.delegates[:1])), tmp_path)
    browser.click("#proof")
    nodes_only = pixels(browser, PROOF)
    show(browser, report_page(report), tmp_path)
    browser.click("#proof")
    assert pixels(browser, PROOF) > nodes_only > 200
    browser.click("#tab-subgraphs")
    browser.click("#panel-subgraphs tbody tr:nth-child(2)")
    assert browser.texts("#details dd")[0] == "two"
    assert browser.errors() == []


def test_a_step_that_only_order_makes_is_lit_as_well(browser: Browser, tmp_path: Path) -> None:
    apart = (DelegateRecord("npu", 2, 2, 2, ("conv",)), DelegateRecord("other", 0, 0, 0, ("beside",)))
    show(browser, report_page(replace(reports.small(), delegates=apart)), tmp_path)
    browser.click("#proof")
    nodes_only = pixels(browser, PROOF)
    show(browser, report_page(replace(reports.small(), minimum_proof=("conv", "beside"))), tmp_path)
    browser.click("#proof")
    assert pixels(browser, PROOF) > nodes_only > 200
    browser.click("#proof")
    assert pixels(browser, PROOF) == 0
    assert browser.errors() == []


def test_without_subgraphs_there_is_nothing_to_light_up(browser: Browser, tmp_path: Path) -> None:
    only = reports.small().nodes[3]
    report = replace(
        reports.small(), kernels_total=1, kernels_delegated=0, subgraphs=(), minimum_proof=(), nodes=(only,), notes=()
    )
    show(browser, report_page(report), tmp_path)
    assert len(browser.find("#proof[disabled], #boundary[disabled]")) == 2
    assert browser.texts("#tabs button") == ["Nodes 1", "On the CPU 1"]
    assert browser.texts(".tile small") == ["0 of 1 kernel", "nothing is delegated", "per prediction"]


def test_tables_sort_both_ways_and_what_is_missing_is_last(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.small()), tmp_path)
    types = "#panel-nodes tbody td[data-key=type]"
    assert browser.texts(types) == ["Conv2DFusion", "Resize", "AddFusion", "Where"]
    browser.click("#panel-nodes th[data-key=type] button")
    assert browser.texts(types) == ["AddFusion", "Conv2DFusion", "Resize", "Where"]
    browser.click("#panel-nodes th[data-key=type] button")
    assert browser.texts(types) == ["Where", "Resize", "Conv2DFusion", "AddFusion"]
    browser.click("#panel-nodes th[data-key=why] button")
    assert browser.texts(types)[:2] == ["Resize", "Where"]
    browser.click("#panel-nodes th[data-key=why] button")
    assert browser.texts(types)[:2] == ["Where", "Resize"]
    assert len(browser.find("#panel-nodes th[aria-sort=descending]")) == 1
    browser.click("#tab-subgraphs")
    browser.click("#panel-subgraphs th[data-key=estimated] button")
    assert browser.texts("#panel-subgraphs tbody td[data-key=estimated]") == ["1.50 ms", "20.0 µs"]


def test_what_stays_on_the_cpu_is_counted_with_what_can_be_done(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.small()), tmp_path)
    browser.click("#tab-refused")
    assert browser.texts("#panel-refused tbody tr:first-child td") == [
        "1",
        "Resize",
        "OPERATOR the device has no Resize",
        "take a profile with Resize",
    ]
    browser.click("#panel-refused tbody tr:nth-child(2)")
    assert browser.texts("#details h2") == ["beside"]


def test_what_would_help_is_shown_where_the_report_says_it(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(replace(reports.small(), what_if=())), tmp_path)
    assert browser.texts("#tabs button") == ["Nodes 4", "Subgraphs 2", "On the CPU 2"]
    resize = WhatIf(
        WhatIfKind.OPERATOR, "npu", "Resize", "", (reports.EVIL,), {"OPERATOR": 1}, 2, 1, 1, 8384, 288, 100.0, None
    )
    same = replace(resize, kind=WhatIfKind.NODE, name=reports.EVIL)
    where = replace(resize, operator="Where", nodes=("beside", "more"), subgraphs_after=3, bytes_after=8672)
    beside = replace(where, kind=WhatIfKind.NODE, name="beside", nodes=("beside",), bytes_before=0, time_after_us=79.0)
    show(browser, report_page(replace(reports.small(), what_if=(resize, same, where, beside))), tmp_path)
    browser.click("#tab-what-if")
    row = "#panel-what-if tbody tr:nth-child({}) td"
    assert len(browser.find("#panel-what-if tbody tr")) == 3
    assert browser.texts(row.format(1)) == ["Resize", "1", "2 → 1", "+1", "-97 %", "", "OPERATOR 1"]
    assert browser.texts(row.format(2)) == ["Where", "2", "2 → 3", "+1", "+3 %", "", "OPERATOR 1"]
    assert browser.texts(row.format(3)) == ["beside\nWhere", "1", "2 → 3", "+1", "+8.67 kB", "-21 %", "OPERATOR 1"]
    browser.click("#panel-what-if th[data-key=time_delta_percent] button")
    assert browser.texts(row.format(1))[0] == "beside\nWhere"
    browser.click("#panel-what-if tbody tr:nth-child(2)")
    assert browser.texts("#details h2") == [reports.EVIL]
    assert "estimates" in browser.texts("#panel-what-if .none")[0]
    assert browser.errors() == []


def test_tabs_and_rows_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.small()), tmp_path)
    chosen = "#tabs [aria-selected=true]"
    browser.type("#tab-nodes", ARROW_RIGHT)
    assert browser.texts(chosen) == ["Subgraphs 2"]
    browser.type("#tab-subgraphs", ARROW_LEFT)
    assert browser.texts(chosen) == ["Nodes 4"]
    browser.type("#tab-nodes", ARROW_LEFT)
    assert browser.texts(chosen) == ["On the CPU 2"]
    browser.click("#tab-nodes")
    browser.type("#panel-nodes tbody tr:nth-child(3)", " ")
    assert browser.texts("#details h2") == ["add"]


def test_light_and_dark(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.small()), tmp_path)
    back = "return getComputedStyle(document.body).backgroundColor"
    assert browser.run(back) == "rgb(255, 255, 255)"
    browser.click("#theme")
    assert browser.run(back) == "rgb(20, 24, 29)"
    browser.click("#proof")
    assert pixels(browser, (255, 92, 134)) > 200
    assert pixels(browser, PROOF) == 0


def test_a_narrow_window_puts_the_tables_under_the_drawing(browser: Browser, tmp_path: Path) -> None:
    browser.resize(600, 900)
    show(browser, report_page(reports.small()), tmp_path)
    edges = "const box = (id) => document.getElementById(id).getBoundingClientRect();"
    assert browser.run(edges + "return box('side').top >= box('left').bottom")
    assert browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    browser.resize(1400, 1000)
    assert browser.run(edges + "return box('side').left >= box('left').right")


def test_what_was_rewritten_is_said_by_kind(browser: Browser, tmp_path: Path) -> None:
    nodes = NamedNode("a", "Reshape"), NamedNode("b", "Transpose")
    rewrites = tuple(RewriteRecord("npu", "movement", nodes, nodes[count:]) for count in (1, 1, 2))
    show(browser, report_page(replace(reports.small(), rewrites=rewrites)), tmp_path)
    found = str(browser.run("return document.getElementById('notes').textContent;"))
    assert "2 \u00d7 Reshape, Transpose \u2192 Transpose; 1 \u00d7 Reshape, Transpose \u2192 nothing." in found
