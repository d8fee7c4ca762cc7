"""Comparisons as text, Markdown and JSON."""

from __future__ import annotations

import json
from dataclasses import fields

import numpy as np
import pytest

from lite_delegate.compare import CompareOptions, ComparisonReport, Metrics, RepairOptions, compare
from lite_delegate.ir import Graph, Node, Value, constant
from tests.compare.losing import built as built_on_half
from tests.compare.losing import far_from_zero, layer_norm
from tests.compare.planted import OnlyTogether, Planted, Raising, built, scaled
from tests.runtime.control_graphs import node as control_node
from tests.runtime.control_graphs import while_loop
from tests.runtime.graphs import binary, chain, value

X = {"x": np.linspace(0.5, 3, 6, dtype=np.float32).reshape(2, 3)}
ALL = CompareOptions(kernels=True, bisect=True)


def long_names() -> Graph:
    x = value("x")
    first = binary("a/very/long/name/that/does/not/fit/anywhere/conv1", x, constant("c", np.ones(1, np.float32)))
    last = binary("another|long\nname/of/a/node/that/is/wrong", first.outputs[0], x)
    return Graph("g", [x], last.outputs, [first, last])


def loop() -> Graph:
    def step(i: Value, x: Value) -> list[Node]:
        return [control_node("plus", "AddFusion", [x, constant("one", np.ones(1, np.float32))])]

    return while_loop(step)


def wrong(graph: Graph, delegate: Planted, **arrays: np.ndarray) -> ComparisonReport:
    return compare(built(graph, delegate), arrays or X, ALL)


def losing() -> ComparisonReport:
    """A model of long names that needs a repair."""
    graph = layer_norm()
    for each in graph.nodes:
        each.name = f"a/very/long/name/that/does/not/fit/anywhere|with\nmore/{each.name}"
    options = CompareOptions(bisect=True, repair=RepairOptions())
    return compare(built_on_half(graph), far_from_zero(), options)


REPORTS = {
    "losing": losing,
    "long names": lambda: wrong(long_names(), Planted(dict.fromkeys((n.name for n in long_names().nodes), scaled))),
    "failed": lambda: wrong(chain(3), Raising({"n1": scaled})),
    "together": lambda: wrong(chain(6), OnlyTogether("n1", "n3")),
    "nan": lambda: wrong(chain(3), Planted({"n1": lambda y: np.asarray(y * np.float32(np.nan))})),
    "nothing": lambda: wrong(chain(2), Planted(names=())),
    "loop": lambda: wrong(
        loop(), Planted({"plus": scaled}, names=("plus",)), n=np.array(3, np.int32), x=np.ones(4, np.float32)
    ),
}


@pytest.fixture(params=list(REPORTS))
def report(request: pytest.FixtureRequest) -> ComparisonReport:
    return REPORTS[request.param]()


def test_text_fits_100_columns(report: ComparisonReport) -> None:
    text = report.to_text()
    assert max(map(len, text.splitlines())) <= 100
    assert "\n\n\n" not in text


def test_names_do_not_reach_the_terminal_as_they_are() -> None:
    graph = layer_norm()
    graph.outputs[0].name = "y\x1b[31m"
    graph.nodes[4].name = "variance\x1b[31m"
    text = compare(built_on_half(graph), far_from_zero(), CompareOptions(repair=RepairOptions())).to_text()
    assert "variance\\x1b[31m" in text
    assert "\x1b" not in text[text.index("loses digits") :]


def test_json_is_valid_and_has_every_metric(report: ComparisonReport) -> None:
    data = json.loads(report.to_json(), parse_constant=pytest.fail)
    assert (data["passed"], data["outcome"]) == (report.passed, report.outcome)
    for subgraph in data["subgraphs"]:
        for tensor in subgraph["tensors"]:
            assert set(tensor["own"]) == {f.name for f in fields(Metrics)}


def test_markdown_tables_have_as_many_cells_in_each_row(report: ComparisonReport) -> None:
    tables = [block.splitlines() for block in report.to_markdown().split("\n\n") if block.startswith("|")]
    assert len(tables) == 1 + bool(report.losses)
    for rows in tables:
        assert len({line.replace("\\|", "").count("|") for line in rows}) == 1


def test_text_names_what_is_wrong_and_how_it_was_found() -> None:
    text = wrong(chain(8), Planted({"n2": scaled})).to_text()
    (found,) = [line for line in text.splitlines() if line.startswith("in subgraph")]
    assert found == "in subgraph 'Planted0': 'n2' (AddFusion) is wrong by itself; parts built to find it: 4."
    rows = {line.split()[0]: line.split() for line in text.splitlines() if line.startswith("  ") and ":0" in line}
    assert [rows[f"n{i}"][2] for i in range(8)] == ["ok", "ok", "wrong", *["inherited"] * 5]
    assert " ".join(text.split()).startswith(
        "explained no: not within tolerance: subgraphs: 1 wrong; kernels: 1 wrong, 5 inherited; outputs: 1 wrong "
        "usable yes: every output has at least 20 dB and cosine 0.99 "
        "The device is off by more than its rounding explains, though the outputs are near enough."
    )


def test_text_of_what_is_right() -> None:
    text = compare(built(chain(2), Planted()), X).to_text()
    assert "explained  yes: all within tolerance\nusable     yes: every output has at least 20 dB" in text
    assert "tolerance  default" in text
    asked = compare(built(chain(2), Planted()), X, CompareOptions(rtol=0.5)).to_text()
    assert "tolerance  rtol 0.5, atol 0" in asked


def test_runs_of_a_loop_are_numbered() -> None:
    lines = REPORTS["loop"]().to_text().partition("\nown, inherited")[0].splitlines()
    assert [line.split()[:3] for line in lines if line.startswith("Planted0 run") and "plus:0" in line] == [
        ["Planted0", "run", str(i)] for i in (1, 2, 3)
    ]
