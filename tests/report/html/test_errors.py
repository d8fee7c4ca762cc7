"""Heat by error on the page: colors, legend and details of nodes with an error and without."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lite_delegate.report import NodeError, PartitionReport
from lite_delegate.report.html import report_page
from tests.conformance.webdriver import Browser
from tests.report.html import reports
from tests.report.html.pages import find, pixels, show

ROWS = "#panel-nodes tbody tr:not([hidden])"
HOT, COOL = (173, 27, 11), (251, 246, 197)
LEGEND = "#legend b, #legend span:not(.band)"


def with_errors(*errors: NodeError) -> PartitionReport:
    return replace(reports.small(), errors=errors)


def kernel(node: str, noise: float | None) -> NodeError:
    return NodeError(node, "", noise, "ok", "kernel")


def test_colors_say_the_error_with_a_legend(browser: Browser, tmp_path: Path) -> None:
    """Noise of a tenth is 20 dB, of a hundredth 40; the two nodes on the CPU have no error."""
    show(browser, report_page(with_errors(kernel("conv", 0.01), kernel("add", 0.1))), tmp_path)
    assert browser.texts("#figure option") == ["color: device", "color: own error"]
    assert pixels(browser, HOT) == pixels(browser, COOL) == 0
    browser.click("#figure option[value=error]")
    assert browser.texts(LEGEND) == ["own error", "40 dB", "20 dB", "not known of 2"]
    assert pixels(browser, HOT) > 200
    assert pixels(browser, COOL) > 200
    assert browser.texts(f"{ROWS} td[data-key=error]") == ["40 dB", "", "20 dB", ""]
    assert browser.errors() == []


def test_exact_nodes_and_nodes_of_which_nothing_is_left_have_a_color(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(with_errors(kernel("conv", None), kernel("add", 0.0))), tmp_path)
    browser.click("#figure option[value=error]")
    assert browser.texts(LEGEND) == ["own error", "exact", "nothing left", "not known of 2"]
    assert pixels(browser, HOT) > 200
    assert pixels(browser, COOL) > 200
    browser.click("#panel-nodes th[data-key=error] button")
    assert browser.texts(f"{ROWS} td[data-key=error]") == ["nothing left", "exact", "", ""]
    assert browser.errors() == []


def test_details_say_what_was_compared_and_where_no_error_is_known(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(with_errors(NodeError("conv", "", 0.1, "wrong", "subgraph"))), tmp_path)
    told = []
    for name in ("conv", "add", "beside"):
        find(browser, name)
        told.append(browser.texts("#details dl:first-of-type dd")[-1 if name != "conv" else 2])
    assert told == [
        "20 dB, of its subgraph as a whole (wrong)",
        "none is known: it was not compared",
        "none is known: it is on the CPU",
    ]


def test_a_report_without_errors_says_nothing_of_them(browser: Browser, tmp_path: Path) -> None:
    show(browser, report_page(reports.small()), tmp_path)
    assert browser.find("#figure[hidden]") != []
    find(browser, "beside")
    assert browser.texts("#details dl:first-of-type dd") == ["CPU"]


def test_a_layer_has_its_worst_error(browser: Browser, tmp_path: Path) -> None:
    """The first block of four nodes has 20, 40, 60 and 80 dB."""
    errors = tuple(kernel(f"net/block0/node{i}", 10.0 ** -(i + 1)) for i in range(4))
    show(browser, report_page(replace(reports.large(200), errors=errors)), tmp_path)
    assert browser.texts(f"{ROWS} td[data-key=error]")[:2] == ["20 dB", ""]
