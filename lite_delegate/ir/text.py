"""A graph as text, for people: a line for each node."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..basics.counted import counted
from .graph import Graph, Node
from .order import topological_order
from .value import Value

FEW = 8
"""Constants of at most so many elements are shown."""


def graph_text(graph: Graph) -> str:
    """The graph and its subgraphs: inputs, nodes in an executable order with attributes not at defaults, outputs."""
    return "\n".join(line for each in graph.all_graphs() for line in _lines(each)) + "\n"


def _lines(graph: Graph) -> Iterator[str]:
    yield f"graph {graph.name!r}: {counted(len(graph.nodes), 'node')}"
    for value in graph.inputs:
        yield f"  input {_typed(value)}"
    for node in topological_order(graph):
        yield f"  {_line(node)}"
    for value in graph.outputs:
        yield f"  output {_typed(value)}"


def _line(node: Node) -> str:
    results = ", ".join(map(_typed, node.outputs))
    operands = ", ".join("-" if v is None else _operand(v) for v in node.inputs)
    given = "".join(f" {name}={value}" for name, value in node.primitive.given().items())
    quantized = f" {node.quant_type.name}" if node.quant_type else ""
    return f"{results} = {node.op_type}({operands}){given}{quantized}"


def _operand(value: Value) -> str:
    return _constant(value) if value.is_constant else repr(value.name)


def _typed(value: Value) -> str:
    return f"{value.name!r} {value.dtype.name}{_shape(value)}"


def _constant(value: Value) -> str:
    if value.data is None or value.data.size > FEW or value.data.dtype.kind not in "biuf":
        return f"{value.dtype.name}{_shape(value)}"
    return f"{value.dtype.name} {np.asarray(value.data).tolist()}"


def _shape(value: Value) -> str:
    return "[?]" if value.shape is None else str(list(value.shape))
