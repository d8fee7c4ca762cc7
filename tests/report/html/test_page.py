"""The page of a partition report: what is in it, and what a real browser makes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lite_delegate import PartitionOptions
from lite_delegate.report import PartitionReport, WhatIf, WhatIfKind
from lite_delegate.report.html import data_page, report_page
from lite_delegate.runtime.records import DelegateRecord, PlacementRecord
from tests.conformance.webdriver import CHROMEDRIVER, CHROMIUM, Browser
from tests.report.html import reports

ENTER, ARROW_LEFT, ARROW_RIGHT = "\ue007", "\ue012", "\ue014"
STATE = "document.getElementById('stage').dataset.state === '{}'"
DRAWN = STATE.format("drawn")
PROOF, BOUNDARY, EDGE = (214, 34, 79), (217, 119, 6), (139, 152, 167)
"""Colours by day, of what is lit up and of what is not."""
NAMES = "#panel-nodes tbody tr:not([hidden]) td[data-key=name]"


def embedded(page: str) -> str:
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return str(data)


def test_the_data_is_the_report_and_nothing_in_it_can_end_the_element() -> None:
    report = reports.small()
    page = report_page(report)
    assert json.loads(embedded(page)) == json.loads(report.to_json())
    assert page.lower().count("</script") == page.lower().count("<script") == 2
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


def test_the_page_has_the_licences_of_what_is_bundled() -> None:
    page = report_page(reports.small())
    assert "The Cytoscape Consortium" in page
    assert "Eclipse Public License - v 2.0" in page


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if CHROMIUM is None or CHROMEDRIVER is None:
        pytest.skip("needs chromium and chromedriver")
    with Browser(tmp_path_factory.mktemp("browser") / "profile") as opened:
        yield opened


def show(browser: Browser, page: str, folder: Path, state: str = "drawn") -> None:
    """Opens a page and waits for the drawing, or for what stands in its place."""
    (folder / "page.html").write_text(page, encoding="utf-8")
    browser.open(folder / "page.html")
    browser.wait_until(STATE.format(state))


def find(browser: Browser, text: str) -> None:
    """Searches as a person would, and goes to the first that fits."""
    browser.run("const f = document.getElementById('search'); f.value = ''; f.focus();")
    browser.type("#search", text + ENTER)


def wait_for_count(browser: Browser, text: str) -> None:
    """What the search says it found: it waits a moment for more keys."""
    browser.wait_until(f"document.getElementById('found').textContent === '{text}'", 20)


def pixels(browser: Browser, colour: tuple[int, int, int]) -> int:
    """How many pixels of the drawing have a colour, waiting until it is painted."""
    browser.run("window.painted = 0; requestAnimationFrame(() => setTimeout(() => { window.painted = 1; }, 150));")
    browser.wait_until("window.painted")
    return int(
        browser.run(f"""
          const shown = [...document.querySelectorAll("#canvas canvas")];
          const copy = new OffscreenCanvas(shown[0].width, shown[0].height)
            .getContext("2d", {{ willReadFrequently: true }});
          shown.forEach((canvas) => copy.drawImage(canvas, 0, 0));
          const {{ data }} = copy.getImageData(0, 0, shown[0].width, shown[0].height);
          let count = 0;
          for (let i = 0; i < data.length; i += 4) {{
            if ([{colour[0]}, {colour[1]}, {colour[2]}, 255].every((c, k) => c === data[i + k])) count += 1;
          }}
          return count;""")
    )


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
    assert browser.texts(NAMES) == [f"…{reports.EVIL[-29:]}", "beside"]
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


def test_two_thousand_nodes(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.large(2000)), tmp_path)
    assert browser.texts("#facts b")[1:3] == ["90 %", "50"]
    find(browser, "node1234")
    wait_for_count(browser, "1 of 1")
    browser.run("document.getElementById('details').replaceChildren()")
    browser.click_at("#canvas")
    assert browser.texts("#details h2") == ["net/block308/node1234"]
    browser.click("#proof")
    assert pixels(browser, PROOF) > 200
    browser.click("#fit")
    browser.click("#panel-nodes th[data-key=name] button")
    assert browser.errors() == []


def test_a_very_large_graph_is_drawn_when_it_is_asked_for(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.large(5001)), tmp_path, "asking")
    assert browser.texts("#message")[0].startswith("The graph has 5,001 nodes")
    browser.click("#panel-nodes tbody tr:nth-child(3)")
    assert browser.texts("#details h2") == ["net/block0/node2"]
    browser.click("#message button")
    assert browser.texts("#message") == ["Laying out 5,001 nodes …"]
    assert browser.errors() == []
