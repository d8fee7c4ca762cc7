"""A partition report as a graph in the language of Graphviz (https://graphviz.org/doc/info/lang.html)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from ..basics.counted import counted
from ..basics.data_class import dataclass
from ..basics.words.one_line import printable
from ..runtime.records import NodeLabel, NodeRecord, SubgraphRecord, TensorRecord, source_texts
from .partition_data import PartitionData

FILLS = ("#cfe8fc", "#d9f2d0", "#fdebc8", "#e8d9f5", "#fad4d8", "#d3f0ee", "#f4e3d3", "#e3e6ea")
"""Colors of subgraphs, in turn."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A tensor from the node that makes it to one that reads it, both by their identifiers in the drawing.

    ``crosses``: they are not in the same subgraph, nor both on the CPU.
    """

    source: str
    target: str
    tensor: TensorRecord
    crosses: bool


def report_dot(report: PartitionData) -> str:
    """The graph: subgraphs as colored clusters, nodes of the CPU plain, tensors that cross a boundary on their edges.

    Inputs and outputs of the model are ellipses, constants are left out. The nodes of the path that forces so many
    subgraphs have a thick border. A subgraph of the model (a branch, a loop's body) is a cluster of its own.
    """
    lines = [
        f"digraph {quoted(report.model or 'model')} {{",
        '  graph [rankdir=TB, fontname="Helvetica"];',
        '  node [shape=box, style=filled, fillcolor=white, fontname="Helvetica", fontsize=10];',
        '  edge [fontname="Helvetica", fontsize=9];',
    ]
    for graph, nodes in groupby(enumerate(report.nodes), lambda item: item[1].graph):
        inside = list(_graph_lines(report, list(nodes)))
        lines += _cluster(f"graph {graph}", quoted(graph), "dashed", inside) if graph else inside
    return "\n".join([*lines, *_ends(report), *map(_edge_line, _edges(report)), "}"])


def quoted(text: str) -> str:
    """Text as a quoted string that Graphviz shows as it is: neither escapes nor entities in it count."""
    shown = printable(text).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{shown}"'


def _label(*parts: str) -> str:
    """Several lines as one quoted string."""
    return '"' + "\\n".join(quoted(part)[1:-1] for part in parts if part) + '"'


def _tensor_text(tensor: TensorRecord) -> str:
    """Element type, shape and size of a tensor, such as "FLOAT32 [1, 224, 224, 3] 602,112 bytes"."""
    shape = "of unknown rank" if tensor.shape is None else str(list(tensor.shape))
    return f"{tensor.dtype} {shape} {counted(tensor.nbytes, 'byte')}"


def _cluster(name: str, label: str, style: str, inside: Sequence[str]) -> list[str]:
    head = f"  subgraph {quoted('cluster ' + name)} {{"
    return [head, f'    graph [label={label}, style="{style}"];', *(f"  {line}" for line in inside), "  }"]


def _graph_lines(report: PartitionData, nodes: Sequence[tuple[int, NodeRecord]]) -> Iterator[str]:
    proof, labels = frozenset(report.minimum_proof), report.labels()
    inside: dict[str, list[str]] = {}
    for i, n in nodes:
        if n.subgraph is not None:
            inside.setdefault(n.subgraph, []).append(_node_line(i, n, labels[n.name], n.name in proof))
    for number, subgraph in enumerate(report.subgraphs):
        lines = inside.get(subgraph.name)
        if lines:
            style = f'filled", fillcolor="{FILLS[number % len(FILLS)]}'
            yield from _cluster(str(number), _subgraph_label(subgraph), style, lines)
    yield from (_node_line(i, n, labels[n.name], n.name in proof) for i, n in nodes if n.subgraph is None)


def _subgraph_label(subgraph: SubgraphRecord) -> str:
    time = "" if subgraph.estimated_us is None else f"{subgraph.estimated_us:,.1f} us (an estimate)"
    return _label(
        subgraph.name, f"{counted(len(subgraph.kernels), 'kernel')}, {counted(subgraph.boundary_bytes, 'byte')}", time
    )


def _node_line(number: int, node: NodeRecord, words: NodeLabel, is_proof: bool) -> str:
    """The node by its words in the model's file; all that it was there is in the tooltip."""
    label = _label(words.name, words.type, str(node.code or ""))
    width = ", penwidth=3" if is_proof else ""
    told = [node.reason or node.device, *(source_texts(node.sources) if len(node.sources) > 1 else ())]
    return f"  n{number} [label={label}, tooltip={_label(*told)}{width}];"


def _ends(report: PartitionData) -> Iterator[str]:
    """Ellipses for values from outside a graph (inputs, variables), and for the outputs of the model."""
    for tensor in _outside(report).values():
        yield f"  t{tensor.id} [shape=ellipse, label={_label(tensor.name, _tensor_text(tensor))}];"
    for i, tensor in enumerate(report.outputs):
        yield f"  o{i} [shape=ellipse, label={_label(tensor.name, _tensor_text(tensor))}];"


def _makers(report: PartitionData) -> dict[int, tuple[str, str | None]]:
    """The maker of each tensor: identifier and subgraph."""
    return {t.id: (f"n{i}", node.subgraph) for i, node in enumerate(report.nodes) for t in node.outputs}


def _outside(report: PartitionData) -> dict[int, TensorRecord]:
    made = _makers(report)
    read = (t for node in report.nodes for t in node.inputs)
    return {t.id: t for t in (*report.inputs, *read, *report.outputs) if t.id not in made and not t.constant}


def _edges(report: PartitionData) -> Iterator[Edge]:
    """In the nodes' order; a tensor that a node reads twice comes once."""
    outside = {tensor: (f"t{tensor}", None) for tensor in _outside(report)}
    made: dict[int, tuple[str, str | None]] = {**outside, **_makers(report)}
    for i, node in enumerate(report.nodes):
        for tensor in dict.fromkeys(node.inputs):
            if tensor.id in made:
                source, subgraph = made[tensor.id]
                yield Edge(source, f"n{i}", tensor, subgraph != node.subgraph)
    for i, tensor in enumerate(report.outputs):
        if tensor.id in made:
            source, subgraph = made[tensor.id]
            yield Edge(source, f"o{i}", tensor, subgraph is not None)


def _edge_line(edge: Edge) -> str:
    label = f" [label={_label(edge.tensor.name, _tensor_text(edge.tensor))}, penwidth=2]" if edge.crosses else ""
    return f"  {edge.source} -> {edge.target}{label};"
