"""PartitionReport: the data, the JSON keys that scripts rely on, and the text."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from lite_delegate import Context, Delegate, LiteDelegateError, Model, PartitionOptions
from lite_delegate.ir import Graph
from lite_delegate.report import PartitionReport, partition_report
from lite_delegate.reporting.terminal import Page, laid_out_for
from lite_delegate.testing.delegates import NamedDelegate, WalkingDelegate
from tests.report.html.reports import with_a_subgraph_of_the_model, with_two_delegates
from tests.runtime.graphs import chain


def model_of(delegate: Delegate | None, graph: Graph | None = None) -> Model:
    context = Context()
    context.set_delegate(delegate)
    model = Model()
    model.build_from_graph(graph or chain(5), context)
    return model


def report_of(delegate: Delegate | None, graph: Graph | None = None) -> PartitionReport:
    return partition_report(model_of(delegate, graph))


def test_data() -> None:
    report = report_of(NamedDelegate(["n0", "n1", "n3"]))
    assert (report.kernels_total, report.kernels_delegated, report.coverage) == (5, 3, 0.6)
    assert [s.name for s in report.subgraphs] == ["Group0", "Group1"]
    assert (report.minimum_subgraphs, report.minimum_proof) == (2, ("n0", "n1", "n2", "n3"))
    assert report.boundary_bytes == 4 * 24
    assert [n.name for n in report.fallback] == ["n2", "n4"]


def test_json_keys() -> None:
    data = json.loads(report_of(NamedDelegate(["n0"])).to_json())
    assert set(data) >= {
        "model",
        "delegate",
        "kernels_total",
        "kernels_delegated",
        "subgraphs",
        "minimum_subgraphs",
        "minimum_proof",
        "nodes",
    }
    assert set(data["subgraphs"][0]) >= {"name", "kernels", "inputs", "outputs", "boundary_bytes"}
    assert data["nodes"][0] == {
        "name": "n0",
        "type": "AddFusion",
        "device": "named",
        "subgraph": "Group0",
        "code": None,
        "reason": "",
        "graph": "",
        "attributes": {"activation_type": "NO_ACTIVATION"},
        "inputs": [
            {"id": 0, "name": "x", "dtype": "FLOAT32", "shape": [2, 3], "nbytes": 24, "constant": False},
            {"id": 1, "name": "c0", "dtype": "FLOAT32", "shape": [1], "nbytes": 4, "constant": True},
        ],
        "outputs": [{"id": 2, "name": "n0:0", "dtype": "FLOAT32", "shape": [2, 3], "nbytes": 24, "constant": False}],
        "hint": "",
        "sources": [],
        "host_us": pytest.approx(5.0, rel=0.01),
        "provider": "",
    }
    assert (data["nodes"][1]["device"], data["nodes"][1]["code"]) == ("CPU", "OPERATOR")


def test_every_node_on_the_cpu_has_a_code_and_a_reason() -> None:
    for delegate in (None, NamedDelegate([]), WalkingDelegate(["n1"])):
        assert all(n.code is not None and n.reason for n in report_of(delegate).fallback)


TEXT = """\
3 of 4 kernels (75%) on named, in 2 subgraphs (the fewest possible); pays: maybe (the device's times
are not known)

model      (in memory)
delegate   named
delegated  3 of 4 kernels (75%)
subgraphs  2 (the fewest possible)
boundary   96 bytes per prediction
pays       maybe: 75% of the CPU's 20 us are delegated; the delegate does not say how long its
           device takes for them (CPU times are rough estimates from shapes)

subgraph  kernels  takes  gives  bytes
--------- -------- ------ ------ -----
Group0          1  x      n0:0      48
Group1          2  n1:0   n3:0      48

no order has fewer than 2 subgraphs: CPU nodes stand between the 2 blocks of this path:
block  subgraph  its nodes on the path  between it and the next
------ --------- ---------------------- -----------------------
    1  Group0    n0                     n1
    2  Group1    n2

node  type       runs on  code      reason
----- ---------- -------- --------- -----------------------
n0    AddFusion  Group0
n1    AddFusion  CPU      OPERATOR  'n1' is not in the list
n2    AddFusion  Group1
n3    AddFusion  Group1

stays on the CPU:
nodes  type       code      reason                   what to do
------ ---------- --------- ------------------------ -----------------------------------------------
1      AddFusion  OPERATOR  'n1' is not in the list  replace AddFusion in the model by operators
                                                     that the device has, or add AddFusion to the
                                                     delegate

next: replace AddFusion in the model by operators that the device has, or add AddFusion to the
delegate; --what-if shows the gain of more support"""


def test_text() -> None:
    assert report_of(NamedDelegate(["n0", "n2", "n3"]), chain(4)).to_text() == TEXT


def test_text_says_when_a_better_order_exists_or_nothing_is_delegated() -> None:
    from tests.runtime.planning.claims.test_delegation import interleaved

    text = report_of(WalkingDelegate(["a0", "b0", "b1", "end"]), interleaved()).to_text()
    assert "3 (an order with 2 exists)" in text
    assert "0 (nothing is delegated)" in report_of(None).to_text()


def test_options_that_ask_for_more_subgraphs_are_named() -> None:
    more = PartitionOptions(connected=True, max_kernels_per_subgraph=1, groups=[["n0", "n1"]])
    report = replace(report_of(NamedDelegate(["n0", "n1", "n3"])), minimum_subgraphs=1)
    for form in (PartitionReport.to_text, PartitionReport.to_markdown):
        assert "2 (an order with 1 exists)" in form(report)
        shown = form(replace(report, options=more)).replace("\\", "")
        assert "2 (1 would do without connected and groups and max_kernels_per_subgraph=1)" in shown
        assert "exists" not in shown


def test_no_option_is_blamed_where_there_are_no_fewer() -> None:
    context = Context()
    context.set_delegate(NamedDelegate(["n0", "n1", "n3"]))
    for size, text in ((2, "2 (the fewest possible)"), (1, "3 (2 would do without max_kernels_per_subgraph=1)")):
        context.partition = PartitionOptions(max_kernels_per_subgraph=size)
        model = Model()
        model.build_from_graph(chain(5), context)
        assert f"subgraphs  {text}\n" in partition_report(model).to_text()


def test_a_long_reason_gets_the_room_that_names_leave() -> None:
    reason = "because " * 6 + "of it"
    report = report_of(NamedDelegate(["n0"]))
    report = replace(report, nodes=tuple(replace(n, reason=n.reason and reason) for n in report.nodes))
    nodes = report.to_text().split("\n\n")[3].splitlines()
    assert nodes[3] == f"n1    AddFusion  CPU      OPERATOR  {reason}"


def test_models_with_subgraphs_say_which_graph_a_node_is_in() -> None:
    report = with_a_subgraph_of_the_model()
    assert [line.split()[:2] for line in report.to_text().splitlines() if "Call " in line] == [
        ["main", "outer"],
        ["1", "Call"],
    ]
    assert "body   inner  AddFusion  Group0" in report.to_text()
    assert "| body | inner | AddFusion | Group0 |" in report.to_markdown()
    wide = replace(report, nodes=tuple(replace(n, name="n" * 60, graph="g" * 60, type="T" * 60) for n in report.nodes))
    assert max(map(len, wide.to_text().splitlines())) <= 100


def test_several_delegates_are_named_beside_their_subgraphs() -> None:
    report = with_two_delegates()
    lines = report.to_text().splitlines()
    assert [line.split()[:3] for line in lines if line.startswith("G")] == [
        ["G0", "one", "1"],
        ["G1", "two", "1"],
        ["G2", "one", "1"],
    ]
    assert "| G1 | two | 1 | t1 | t2 |" in report.to_markdown()


def test_what_subgraphs_save_is_shown_where_it_is_known() -> None:
    report = report_of(NamedDelegate(["n0", "n2"]))
    first, second = report.subgraphs
    known = replace(report, subgraphs=(replace(first, saved_us=1234.56), second))
    rows = [line.split() for line in known.to_text().splitlines() if line.startswith("Group")]
    assert [row[-1] for row in rows] == ["1,234.6", "48"]
    assert "| Group0 | 1 | x | n0:0 | 48 |  | 1,234.6 |" in known.to_markdown()
    assert "saves us" not in report.to_text() + report.to_markdown()


def test_part_of_the_kernels_is_neither_all_nor_none_of_them() -> None:
    report = replace(report_of(None), kernels_total=1000)
    for delegated, percent in ((0, "0%"), (1, "less than 1%"), (999, "99%"), (1000, "100%")):
        assert f"{delegated:,} of 1,000 kernels ({percent})" in replace(report, kernels_delegated=delegated).to_text()


def test_tensors_without_names_are_called_that() -> None:
    report = report_of(NamedDelegate(["n0"]))
    report = replace(report, subgraphs=(replace(report.subgraphs[0], inputs=("", "x")),))
    assert "(no name)" in report.to_text()
    assert "| Group0 | 1 | (no name), x | n0:0 |" in report.to_markdown()


def test_names_of_options_are_not_broken() -> None:
    report = report_of(NamedDelegate(["n0"]))
    hint = "x " * 20 + "--max-kernels-per-subgraph " * 6
    text = replace(report, nodes=tuple(replace(n, hint=hint) for n in report.nodes)).to_text()
    assert text.partition("\nnext: ")[0].count("--max-kernels-per-subgraph") == 6 * len(report.fallback)


def test_large_models_have_stretches_of_equal_nodes_folded() -> None:
    report = report_of(NamedDelegate([f"n{i}" for i in range(30) if i != 20]), chain(30))
    assert "n12 " in report.to_text()
    report = report_of(NamedDelegate([f"n{i}" for i in range(101) if i != 50]), chain(101))
    with laid_out_for(Page(full=True)):
        assert "n42 " in report.to_text()
    text = report.to_text()
    _, *table = text[text.index("node  ") :].split("\n\n")[0].splitlines()
    assert [line.split("  ")[0] for line in table[1:-1]] == [
        "n0",
        "... 48 more",
        "n49",
        "n50",
        "n51",
        "... 48 more",
        "n100",
    ]
    assert "--full" in table[-1]
    assert len(json.loads(report.to_json())["nodes"]) == 101


def test_text_fits_100_columns_whatever_the_names() -> None:
    graph = chain(6)
    for node in graph.nodes:
        node.name = "a/very/long/scope/name/that/goes/on/and/on/" + node.name
        node.outputs[0].name = node.name + ":0"
    text = report_of(NamedDelegate([n.name for n in graph.nodes if n.name[-1] in "0245"]), graph).to_text()
    assert max(map(len, text.splitlines())) <= 100


def test_text_fits_100_columns_whatever_else_is_long() -> None:
    report = report_of(NamedDelegate(["n0", "n2", "n3"]))
    long = replace(
        report,
        model="/a/long/folder" * 20,
        delegate="delegate" * 30,
        nodes=tuple(
            replace(n, name="scope/" * 40, type="Type" * 20, reason="reason" * 40 + "\n" + "why " * 40)
            for n in report.nodes
        ),
        subgraphs=tuple(
            replace(
                s,
                name=s.name * 20,
                inputs=("in/" * 50,),
                boundary_bytes=10**10,
                estimated_us=1e6,
                saved_us=1e6,
                delegate=s.name * 9,
            )
            for s in report.subgraphs
        ),
        minimum_proof=("node/" * 40,) * 20,
        notes=("note " * 60, "note" * 60),
        delegates=report.delegates * 2,
    )
    assert max(map(len, long.to_text().splitlines())) <= 100


def test_a_model_that_was_not_built_has_no_report() -> None:
    with pytest.raises(LiteDelegateError, match="has not been built"):
        partition_report(Model())
