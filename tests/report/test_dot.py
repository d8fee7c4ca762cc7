"""Graphviz: the drawing is read back by a small parser of the language, and by pydot where it is installed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.report import PartitionReport
from lite_delegate.report.dot import quoted
from tests.report.test_diff import of

TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|->|[A-Za-z_][\w.]*|-?\d[\w.]*|[{}\[\]=;,])')


@dataclass
class Drawing:
    """What the parser finds: nodes and edges with their attributes, clusters with label and nodes."""

    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    edges: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    clusters: list[tuple[str, list[str]]] = field(default_factory=list)


class Parser:
    """A part of the DOT language: graph, subgraph, node, edge and attribute statements."""

    def __init__(self, text: str) -> None:
        self.tokens = self.split(text)
        self.at = 0
        self.drawing = Drawing()
        self.open: list[int] = []

    @staticmethod
    def split(text: str) -> list[str]:
        found, position = [], 0
        while text[position:].strip():
            match = TOKEN.match(text, position)
            assert match, f"no token at {text[position : position + 40]!r}"
            found.append(match[1])
            position = match.end()
        return found

    def take(self, *expected: str) -> str:
        token = self.tokens[self.at]
        assert not expected or token in expected, (token, expected)
        self.at += 1
        return token

    def parse(self) -> Drawing:
        self.take("digraph")
        self.take()
        self.block()
        assert self.at == len(self.tokens)
        return self.drawing

    def block(self) -> None:
        self.take("{")
        while self.tokens[self.at] != "}":
            self.statement()
        self.take("}")

    def statement(self) -> None:
        first = self.take()
        if first == "subgraph":
            self.take()
            self.drawing.clusters.append(("", []))
            self.open.append(len(self.drawing.clusters) - 1)
            self.block()
            self.open.pop()
            return
        target = ""
        if self.tokens[self.at] == "->":
            self.take()
            target = self.take()
        attributes = self.attributes()
        self.take(";")
        if first == "graph" and self.open:
            number = self.open[-1]
            self.drawing.clusters[number] = (shown(attributes["label"]), self.drawing.clusters[number][1])
        elif target:
            self.drawing.edges.append((first, target, attributes))
        elif first not in ("graph", "node", "edge"):
            assert first not in self.drawing.nodes
            self.drawing.nodes[first] = attributes
            for number in self.open:
                self.drawing.clusters[number][1].append(first)

    def attributes(self) -> dict[str, str]:
        found: dict[str, str] = {}
        if self.tokens[self.at] != "[":
            return found
        self.take("[")
        while self.tokens[self.at] != "]":
            name = self.take()
            self.take("=")
            found[name] = self.take()
            if self.tokens[self.at] == ",":
                self.take()
        self.take("]")
        return found


def shown(token: str) -> str:
    """What Graphviz shows of a quoted string: escapes replaced, then entities decoded."""
    return unescape(re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], token[1:-1]))


def parse(report: PartitionReport) -> Drawing:
    return Parser(report.to_dot()).parse()


def test_clusters_nodes_and_edges() -> None:
    drawing = parse(of(0, 1, 3))
    labels = {name: shown(attributes["label"]) for name, attributes in drawing.nodes.items()}
    assert [labels[f"n{i}"].split("\n") for i in (0, 2)] == [["n0", "AddFusion"], ["n2", "AddFusion", "OPERATOR"]]
    assert [(label.split("\n")[0], nodes) for label, nodes in drawing.clusters] == [
        ("Group0", ["n0", "n1"]),
        ("Group1", ["n3"]),
    ]
    between = {(a, b): shown(x["label"]) for a, b, x in drawing.edges if "label" in x}
    ends = {labels[name].split("\n")[0]: name for name in drawing.nodes if name[0] in "to"}
    assert set(between) == {(ends["x"], "n0"), ("n1", "n2"), ("n2", "n3"), ("n3", "n4")}
    assert between["n1", "n2"] == "n1:0\nFLOAT32 [2, 3] 24 bytes"
    assert {(a, b) for a, b, _ in drawing.edges} - set(between) == {("n0", "n1"), ("n4", ends["n4:0"])}


def test_the_path_that_proves_the_minimum_is_marked() -> None:
    drawing = parse(of(0, 2))
    assert [name for name, attributes in drawing.nodes.items() if "penwidth" in attributes] == ["n0", "n2", "n1"]


def test_a_graph_of_the_model_is_a_cluster_around_its_subgraphs() -> None:
    report = of(0, 2)
    moved = replace(report, nodes=tuple(replace(n, graph="a branch") for n in report.nodes))
    outer, first, second = parse(moved).clusters
    assert (outer[0], sorted(outer[1])) == ("a branch", ["n0", "n1", "n2", "n3", "n4"])
    assert (first[1], second[1]) == (["n0"], ["n2"])


@given(st.text())
def test_any_name_comes_back(name: str) -> None:
    report = of(0)
    first, *rest = report.nodes
    tensors = tuple(replace(t, name=name) for t in first.outputs)
    odd = replace(
        report,
        model=name,
        nodes=(replace(first, name=name, reason=name, outputs=tensors), *rest),
        subgraphs=tuple(replace(s, name=s.name) for s in report.subgraphs),
    )
    drawing = parse(odd)
    visible = "".join(c if c.isprintable() else repr(c)[1:-1] for c in name)
    assert shown(drawing.nodes["n0"]["label"]) == "\n".join(filter(None, [visible, "AddFusion"]))
    assert len(drawing.nodes) == 7


@pytest.mark.parametrize("name", ['"', "\\", '\\"', "a\nb", "&lt;", "\\N", "{x|y}", "<b>", "ü€", "]];", "-> x"])
def test_quoting(name: str) -> None:
    assert shown(quoted(name)) == "".join(c if c.isprintable() else repr(c)[1:-1] for c in name)


@pytest.mark.filterwarnings("ignore")
def test_pydot_reads_it() -> None:
    pydot = pytest.importorskip("pydot")
    report = of(0, 2)
    nodes = tuple(replace(n, name=f'a "{n.name}" \\ {{|}} ->') for n in report.nodes)
    (graph,) = pydot.graph_from_dot_data(replace(report, nodes=nodes).to_dot())
    inside = [[n.get_name() for n in s.get_nodes() if n.get_name() != "graph"] for s in graph.get_subgraphs()]
    assert inside == [["n0"], ["n2"]]
    assert len(graph.get_edges()) == 6
