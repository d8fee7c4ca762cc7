"""Tables of reports: data frames with the names of the JSON form, and what a notebook shows."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite_delegate as ld
from lite_delegate.basics.words.fragments import fragment
from lite_delegate.benchmark import BenchmarkOptions, RunLimits, benchmark
from lite_delegate.compare import compare
from lite_delegate.conformance import all_cases, run_conformance
from lite_delegate.errors import InputError
from lite_delegate.formats.ms import read_ms
from lite_delegate.inference.profiling.profile import RequestProfile
from lite_delegate.inference.profiling.stages import Stage, Stretch
from lite_delegate.npu import NPUDelegate
from lite_delegate.report import PartitionReport, diff, partition_report
from lite_delegate.reporting.tables import FormTable
from lite_delegate.runtime.records import NodeRecord
from lite_delegate.runtime.records.strip import partition_strip
from tests.runtime.graphs import chain

pandas = pytest.importorskip("pandas")
DIGITS = Path(ld.__file__).parent / "demo" / "digits.ms"
IMAGE = {"image": np.zeros((1, 8, 8, 1), np.float32)}
HOSTILE = "<script>alert(1)</script>\"'&\u202e\n"


@pytest.fixture(scope="module")
def reports() -> dict[str, Any]:
    context = ld.Context()
    context.set_delegate(NPUDelegate(options={"PERF_COUNT": "YES"}))
    context.on_delegate_error = "fallback"
    model = ld.Model()
    model.build_from_file(str(DIGITS), context=context)
    partition = partition_report(model)
    options = BenchmarkOptions(warmup=0, limits=RunLimits(runs=2), profile=True)
    measured = benchmark(model, IMAGE, options).report
    moved = replace(partition.nodes[0], subgraph=None, device="CPU", reason="no")
    return {
        "partition": partition,
        "diff": diff(partition, replace(partition, nodes=(moved, *partition.nodes[1:]))),
        "benchmark": measured,
        "profile": measured.profile,
        "comparison": compare(model, IMAGE),
        "conformance": run_conformance([*all_cases(["Softmax"])][:3], NPUDelegate()),
    }


KINDS = ("partition", "diff", "benchmark", "profile", "comparison", "conformance")


@pytest.mark.parametrize("kind", KINDS)
def test_columns_have_the_names_of_the_json_form(reports: dict[str, Any], kind: str) -> None:
    report = reports[kind]
    for name, table in report.tables.items():
        found = report.to_dataframe(name)
        rows = inside(report.to_dict(), table.path)
        assert len(found) == len(rows)
        for row in rows:
            keys = {inner for key in row for inner in ([key] if key in found else [f"{key}.{k}" for k in row[key]])}
            assert keys <= set(found.columns)
    assert report.to_dataframe().equals(report.to_dataframe(next(iter(report.tables))))


def inside(data: Any, path: tuple[str, ...]) -> list[dict[str, Any]]:
    """The rows by the plainest way."""
    found = [data]
    for key in path:
        found = [each for d in found for each in (d[key] if isinstance(d[key], list) else [d[key]] if d[key] else [])]
    return found


def test_frames_have_the_numbers(reports: dict[str, Any]) -> None:
    nodes = reports["partition"].to_dataframe("nodes")
    assert list(nodes["device"].unique()) == ["npu"]
    assert list(nodes["name"]) == [node.name for node in reports["partition"].nodes]
    layers = reports["profile"].to_dataframe("layers")
    assert set(layers["subgraphs.name"]) == {"NpuGraph0"}
    assert layers["is_estimate"].all()
    first = reports["comparison"].subgraphs[0].tensors[0]
    assert reports["comparison"].to_dataframe().loc[0, "own.max_abs"] == first.own.max_abs


def test_a_table_that_is_not_there(reports: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="PartitionReport has no table 'node'; its tables are 'nodes', 'subgraphs'"):
        reports["partition"].to_dataframe("node")


def test_without_pandas_the_error_has_the_line_to_install_it(
    reports: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=re.escape("pip install 'lite-delegate[notebook]'")):
        reports["partition"].to_dataframe()


@pytest.mark.parametrize("kind", KINDS)
def test_html_is_one_well_formed_piece_without_script_and_network(reports: dict[str, Any], kind: str) -> None:
    html = reports[kind]._repr_html_()
    parsed = checked(html)
    assert unescape(parsed.findtext(".//code") or "") == repr(reports[kind])
    shown = next(iter(reports[kind].tables.values())).shown
    assert tuple(each.text for each in parsed.iter("th")) == shown


def checked(html: str) -> ET.Element:
    assert len(html) <= 100_000
    assert not re.search(r"<script|javascript:|<link|<img|\bhref|\bsrc=|\bon\w+=|url\(", html)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg\")", html)
    return ET.fromstring(html.replace("&ensp;", " ").replace("&#x27;", "'"))


def cells(thing: Any) -> list[list[str]]:
    parsed = checked(thing._repr_html_())
    assert unescape(parsed.findtext(".//code") or "") == repr(thing)
    return [[cell.text or "" for cell in row] for row in parsed.iter("tr")]


def test_a_record_of_a_partition_shows_its_nodes_and_a_drawing() -> None:
    record = ld.Core().compile_model(str(DIGITS), "NPU").partition
    heads, *rows = cells(record)
    assert heads == ["name", "type", "device", "subgraph", "reason"]
    assert rows == [[n.name, n.type, n.device, n.subgraph or "", n.reason] for n in record.nodes]
    assert partition_strip(record.nodes) in record._repr_html_()


def test_a_graph_shows_its_nodes() -> None:
    graph = read_ms(DIGITS)
    heads, first, *rest = cells(graph)
    assert heads == ["name", "type", "inputs", "outputs"]
    inputs = "image, stem/conv/weight, stem/conv/bias"
    assert first == ["stem/conv", "Conv2DFusion", inputs, "stem/conv: float32[1,8,8,16]"]
    assert len(rest) == len(graph.nodes) - 1


def test_a_long_graph_says_where_the_rest_is() -> None:
    html = chain(25)._repr_html_()
    assert len(list(checked(html).iter("tr"))) == 21
    assert "... 5 more rows; nodes has all." in html


def test_a_profile_of_a_request_shows_its_stages() -> None:
    stages = {Stage.CPU: 1_500_000, Stage.UPLOAD: 500_000}
    profile = RequestProfile(0, 2_000_000, stages, (), callback=Stretch(Stage.CALLBACK, 0, 3_000))
    assert cells(profile) == [
        ["stage", "us", "share of the latency"],
        ["cpu", "1500", "75.0 %"],
        ["upload", "500", "25.0 %"],
        ["callback", "3", ""],
    ]


def test_names_are_shown_as_they_are() -> None:
    nodes = [
        NodeRecord(HOSTILE + str(i), HOSTILE, HOSTILE, HOSTILE if i % 2 else None, None, HOSTILE) for i in range(9)
    ]
    html = report_of(nodes)._repr_html_()
    assert "<script" not in html
    assert HOSTILE[:25] in "".join(checked(html).itertext())


@pytest.mark.parametrize("stretch", [1, 3, 2000])
def test_a_partition_of_two_thousand_nodes_is_small(stretch: int) -> None:
    long = "a/very/long/scope/of/a/network/" * 8
    devices = [("npu", f"G{i // stretch}") if i // stretch % 2 else ("CPU", None) for i in range(2000)]
    nodes = [NodeRecord(f"{long}{i}", "Conv", device, graph, None, "") for i, (device, graph) in enumerate(devices)]
    parsed = checked(report_of(nodes)._repr_html_())
    boxes = [each for each in parsed.iter() if each.tag.endswith("rect")]
    drawn = sum(float(box.get("width", 0)) * float(box.get("height", 0)) for box in boxes)
    on_npu = sum(float(b.get("width", 0)) * float(b.get("height", 0)) for b in boxes if b.get("fill") != "#bbbbbb")
    share = sum(device == "npu" for device, _ in devices) / 2000
    assert drawn == pytest.approx(1000 * 40, rel=0.01)
    assert on_npu / drawn == pytest.approx(share, abs=0.01)


def report_of(nodes: list[NodeRecord]) -> PartitionReport:
    delegated = sum(node.subgraph is not None for node in nodes)
    return PartitionReport(HOSTILE, "npu", len(nodes), delegated, (), 0, (), tuple(nodes))


def test_a_key_without_a_value_has_no_rows() -> None:
    assert FormTable(("profile", "kernels")).rows({"profile": None}) == []


def test_a_long_name_in_a_cell_keeps_twice_as_much_of_its_end_in_which_names_differ() -> None:
    assert f"{'a' * 25}...{'b' * 52}</td>" in fragment("", "", ["name"], [["a" * 100 + "b" * 100]])
