"""diff: what changed between two reports, by hand-made pairs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate import RejectCode
from lite_delegate.report import DIFF_RENDERERS, NodePlacement, PartitionReport, diff
from lite_delegate.runtime.records import SourceRecord
from lite_delegate.testing.delegates import NamedDelegate
from tests.report.test_partition_report import report_of
from tests.runtime.graphs import chain


def of(*numbers: int, nodes: int = 5) -> PartitionReport:
    """A chain of nodes n0, n1, ... of which those with the given numbers are delegated."""
    return report_of(NamedDelegate([f"n{i}" for i in numbers]), chain(nodes))


def number(name: str, before: PartitionReport, after: PartitionReport) -> tuple[float | None, float | None]:
    return next((n.before, n.after) for n in diff(before, after).numbers if n.name == name)


def test_nothing_changed() -> None:
    found = diff(of(0, 1, 3), of(0, 1, 3))
    assert found.is_same
    assert (found.nodes, found.subgraphs) == ((), ())
    assert found.to_dict()["same"] is True


def test_a_node_that_goes_back_to_the_cpu_is_named_with_its_effect() -> None:
    before, after = of(0, 1, 2, 3, 4), of(0, 1, 3, 4)
    found = diff(before, after)
    (node,) = found.nodes
    assert (node.name, node.before) == ("n2", NodePlacement("AddFusion", "named", None, ""))
    assert node.after == NodePlacement("AddFusion", "CPU", RejectCode.OPERATOR, "'n2' is not in the list")
    assert number("coverage", before, after) == (1.0, 0.8)
    assert number("subgraphs", before, after) == (1, 2)
    assert number("minimum_subgraphs", before, after) == (1, 2)
    assert number("boundary_bytes", before, after) == (48, 96)  # x and n4:0; then n1:0 and n2:0 as well
    assert number("kernels_delegated", before, after) == (5, 4)
    assert number("estimated_us", before, after) == (None, None)


def renamed(report: PartitionReport, word: str) -> PartitionReport:
    names = tuple(replace(n, name=f"{word}{n.name}") for n in report.nodes)
    kernels = tuple(replace(s, kernels=tuple(f"{word}{k}" for k in s.kernels)) for s in report.subgraphs)
    return replace(report, nodes=names, subgraphs=kernels)


def test_changed_nodes_go_by_what_they_are_in_the_file() -> None:
    sources = (SourceRecord("/stem/Conv", "Conv"), SourceRecord("/stem/Relu", "Relu"))
    before, after = (
        replace(each, nodes=tuple(replace(n, sources=sources) if n.name == "n2" else n for n in each.nodes))
        for each in (of(0, 1, 2), of(0, 1))
    )
    found = diff(before, after)
    for form in ("text", "markdown"):
        assert "/stem/Conv (+1)" in DIFF_RENDERERS[form](found)
    (node,) = found.to_dict()["nodes"]
    assert [each["name"] for each in node["sources"]] == ["/stem/Conv", "/stem/Relu"]


def test_reports_of_different_models_are_called_that() -> None:
    before, other, longer = of(0, 1, 2), renamed(of(0, 1), "other/"), of(0, 1, 2, nodes=7)
    assert [diff(before, each).nodes_matched for each in (before, other, longer)] == [5, 0, 5]
    for name in ("text", "markdown"):
        render = DIFF_RENDERERS[name]
        assert "no node, by graph and name: these are reports of different models" in render(diff(before, other))
        assert "5 nodes, by graph and name; 0 are gone, 2 are new" in render(diff(before, longer))
        assert "in both" not in render(diff(before, of(0, 1)))


def test_names_that_come_twice_are_matched_in_their_order_within_their_graph() -> None:
    report = of(0)
    nodes = [replace(n, name="same", graph="g" * (i % 2)) for i, n in enumerate(report.nodes)]
    nodes[4] = replace(nodes[4], reason="before")
    before = replace(report, nodes=tuple(nodes))
    (change,) = diff(before, replace(before, nodes=(*nodes[:4], replace(nodes[4], reason="after")))).nodes
    assert (change.graph, change.before and change.before.reason, change.after and change.after.reason) == (
        "",
        "before",
        "after",
    )


def test_another_type_is_said() -> None:
    before = of(0)
    after = replace(before, nodes=(replace(before.nodes[0], type="MulFusion"), *before.nodes[1:]))
    assert "~ n0 (AddFusion -> MulFusion)" in DIFF_RENDERERS["text"](diff(before, after))
    assert "| n0 | AddFusion -&gt; MulFusion |" in DIFF_RENDERERS["markdown"](diff(before, after))


def test_a_subgraph_that_is_split() -> None:
    first, second = diff(of(0, 1, 2, 3, 4), of(0, 1, 3, 4)).subgraphs
    assert (first.before, first.after, first.kernels_before, first.kernels_after) == ("Group0", "Group0", 5, 2)
    assert (first.gained, first.lost) == ((), ("n2", "n3", "n4"))
    assert (second.before, second.after, second.gained) == (None, "Group1", ("n3", "n4"))
    assert (second.kernels_before, second.boundary_bytes_before, second.boundary_bytes_after) == (0, 0, 48)


def test_subgraphs_are_matched_by_nodes_not_by_name() -> None:
    """The first subgraph goes away and the second takes its name: only one change."""
    found = diff(of(0, 3, 4), of(3, 4))
    (change,) = found.subgraphs
    assert (change.before, change.after, change.lost) == ("Group0", None, ("n0",))
    assert [n.name for n in found.nodes] == ["n0"]


def test_added_and_removed_nodes() -> None:
    found = diff(of(0, 1, nodes=2), of(0, 1, 3, nodes=4))
    assert [(n.name, n.before, n.after is None) for n in found.nodes] == [("n2", None, False), ("n3", None, False)]
    back = diff(of(0, 1, 3, nodes=4), of(0, 1, nodes=2))
    assert [(n.name, n.before is None, n.after) for n in back.nodes] == [("n2", False, None), ("n3", False, None)]


def test_another_code_or_reason_is_a_change() -> None:
    before = of(0)
    (*rest, last) = before.nodes
    other = replace(before, nodes=(*rest, replace(last, reason="another")))
    assert [n.name for n in diff(before, other).nodes] == ["n4"]
    code = replace(before, nodes=(*rest, replace(last, code=RejectCode.POLICY)))
    assert [n.name for n in diff(before, code).nodes] == ["n4"]


def test_nodes_of_one_name_in_two_graphs_are_two() -> None:
    before = of(0)
    elsewhere = tuple(replace(n, graph="branch") if n.name == "n3" else n for n in before.nodes)
    found = diff(before, replace(before, nodes=elsewhere))
    assert [(n.graph, n.before is None, n.after is None) for n in found.nodes] == [
        ("branch", True, False),
        ("", False, True),
    ]


def test_notes() -> None:
    before, after = replace(of(0), notes=("a", "b")), replace(of(0), notes=("b", "c"))
    found = diff(before, after)
    assert (found.notes_added, found.notes_removed, found.is_same) == (("c",), ("a",), False)


def test_another_delegate_is_a_change() -> None:
    assert not diff(of(), report_of(None)).is_same


def test_changed_estimates_are_shown_as_estimates() -> None:
    before, after = of(0), of(0)
    (subgraph,) = before.subgraphs
    before = replace(before, subgraphs=(replace(subgraph, estimated_us=10.0),))
    after = replace(after, subgraphs=(replace(subgraph, estimated_us=7.5),))
    found = diff(before, after)
    assert number("estimated_us", before, after) == (10.0, 7.5)
    assert len(found.subgraphs) == 1
    for render in DIFF_RENDERERS.values():
        assert "estimate" in render(found)
    assert "-2.5 (-25.0%)" in DIFF_RENDERERS["text"](found)


def test_text() -> None:
    text = DIFF_RENDERERS["text"](diff(of(0, 1, 2, nodes=3), of(0, 2, nodes=3)))
    lines = text.splitlines()
    assert lines[:2] == ["before    (in memory)", "after     (in memory)"]
    rows = {" ".join(line.split()[:-4]): line.split()[-4:] for line in lines if "%)" in line}
    assert rows["delegated share of the kernels"] == ["1", "0.6667", "-0.3333", "(-33.3%)"]
    assert rows["boundary bytes per prediction"] == ["48", "96", "+48", "(+100.0%)"]
    assert lines[-4:] == [
        "nodes that changed:",
        "  ~ n1 (AddFusion)",
        "      before: named",
        "      after:  CPU, OPERATOR: 'n1' is not in the list",
    ]


def test_text_fits_100_columns_whatever_the_names() -> None:
    def long(report: PartitionReport) -> PartitionReport:
        return replace(
            report,
            model="/a/long/folder" * 20,
            delegate="delegate" * 30,
            nodes=tuple(replace(n, name="scope/" * 40 + n.name, reason=n.reason * 20) for n in report.nodes),
            subgraphs=tuple(replace(s, boundary_bytes=10**12, name=s.name * 20) for s in report.subgraphs),
            notes=("note " * 60,),
        )

    text = DIFF_RENDERERS["text"](diff(of(0, 1, 2), long(of(0, 2))))
    assert max(map(len, text.splitlines())) <= 100


@given(st.sets(st.integers(0, 5)), st.sets(st.integers(0, 5)))
def test_changed_nodes_are_those_in_one_set_only(before: set[int], after: set[int]) -> None:
    first, second = of(*before, nodes=6), of(*after, nodes=6)
    found = diff(first, second)
    assert {n.name for n in found.nodes} == {f"n{i}" for i in before ^ after}
    assert {name for s in found.subgraphs for name in (*s.gained, *s.lost)} >= {f"n{i}" for i in before ^ after}
    assert found.is_same == (before == after)
    for render in DIFF_RENDERERS.values():
        assert render(found)


@pytest.mark.parametrize("form", list(DIFF_RENDERERS))
def test_every_form_names_the_node(form: str) -> None:
    assert "n2" in DIFF_RENDERERS[form](diff(of(0, 1, 2, 3, 4), of(0, 1, 3, 4)))


def test_json() -> None:
    data = json.loads(diff(of(0, 1), of(0)).to_json())
    assert set(data) == {
        "before",
        "after",
        "delegate_before",
        "delegate_after",
        "nodes_matched",
        "numbers",
        "nodes",
        "subgraphs",
        "notes_added",
        "notes_removed",
        "same",
    }
    assert data["nodes"] == [
        {
            "name": "n1",
            "graph": "",
            "before": {"type": "AddFusion", "device": "named", "code": None, "reason": ""},
            "after": {
                "type": "AddFusion",
                "device": "CPU",
                "code": "OPERATOR",
                "reason": "'n1' is not in the list",
            },
            "sources": [],
        }
    ]
