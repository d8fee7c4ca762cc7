"""Subgraphs of a file to graphs, and the rules between them and the model's inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterable

from ...flatbuffer.problem import FormatProblem
from ...flatbuffer.schema import Record
from ...ir import DataType, Graph, Node, Value, has_numpy
from .nodes import indices, pick


def read_graphs(root: Record, values: list[Value], nodes: list[Node]) -> Graph:
    """The main graph, with the other ones below it."""
    records = root["subGraph"]
    if records is None:
        return _whole(root, values, nodes)
    if not records:
        raise FormatProblem("expected at least one subgraph, found none", "subGraph")
    graphs = []
    free = set(range(len(nodes)))
    for i, record in enumerate(records):
        try:
            graphs.append(_read_graph(record, values, nodes, free))
        except FormatProblem as problem:
            raise problem.within(f"subGraph[{i}] '{record['name'] or ''}'") from None
    main = graphs[0]
    inputs, outputs = model_boundary(root, values)
    _check_boundary("inputIndex", inputs, main.inputs)
    _check_boundary("outputIndex", outputs, main.outputs)
    # The model's order is the API's order; the order of subgraph 0 may differ.
    main.inputs, main.outputs = inputs, outputs
    main.subgraphs = graphs[1:]
    return main


def model_boundary(root: Record, values: list[Value]) -> tuple[list[Value], list[Value]]:
    """The model's inputs and outputs, in API order."""
    return pick(values, root["inputIndex"], "inputIndex"), pick(values, root["outputIndex"], "outputIndex")


def check_inputs_and_outputs(inputs: list[Value], outputs: list[Value]) -> None:
    """The rules on the model's own lists.

    Raises:
        FormatProblem: a list is empty, both lists are equal, or an input holds neither numbers nor strings.
    """
    for name, listed in (("inputIndex", inputs), ("outputIndex", outputs)):
        if not listed:
            raise FormatProblem("expected at least one index, found none", name)
    if inputs == outputs:
        raise FormatProblem("the model's outputs must not be its inputs", "outputIndex")
    for value in inputs:
        if not has_numpy(value.dtype) and value.dtype != DataType.BFLOAT16:
            raise FormatProblem(
                f"input '{value.name}' must be of numbers or strings, found {value.dtype.name}", "inputIndex"
            )


def check_inputs(values: list[Value]) -> None:
    """Raises FormatProblem when an input of a subgraph is a constant."""
    for value in values:
        if value.is_constant:
            raise FormatProblem(f"input '{value.name}' must not have data", "inputIndices")


def _whole(root: Record, values: list[Value], nodes: list[Node]) -> Graph:
    """NOTE: very old files have no subgraphs; then the whole file is one graph."""
    inputs, outputs = model_boundary(root, values)
    return Graph(root["name"] or "", inputs, outputs, nodes)


def _read_graph(record: Record, values: list[Value], nodes: list[Node], free: set[int]) -> Graph:
    for name in ("name", "inputIndices", "outputIndices", "tensorIndices"):
        if record[name] is None:
            raise FormatProblem("must be there, found none", name)
    pick(values, record["tensorIndices"], "tensorIndices")
    inputs = pick(values, record["inputIndices"], "inputIndices")
    check_inputs(inputs)
    return Graph(
        record["name"],
        inputs,
        pick(values, record["outputIndices"], "outputIndices"),
        _own_nodes(record, nodes, free),
    )


def _own_nodes(record: Record, nodes: list[Node], free: set[int]) -> list[Node]:
    """The subgraph's nodes, which are taken out of ``free``.

    NOTE: MindSpore Lite lets two subgraphs list one node; here nodes belong to one graph.
    """
    own = indices(record["nodeIndices"])
    for i in own:
        if i >= len(nodes):
            raise FormatProblem(f"expected positions below {len(nodes)}, found {i}", "nodeIndices")
        if i not in free:
            raise FormatProblem(f"expected each node once, found {i} twice", "nodeIndices")
        free.remove(i)
    return [nodes[i] for i in own]


def _check_boundary(place: str, model: list[Value], main: list[Value]) -> None:
    """NOTE: MindSpore Lite lets any subgraph own an input or output of the model; here subgraph 0 must."""
    if len(model) != len(main):
        raise FormatProblem(f"the model lists {len(model)}, subgraph 0 lists {len(main)}", place)
    _check_listed(place, model, main, "subgraph 0 does not list it")
    _check_listed(place, main, model, "subgraph 0 lists it, the model does not")


def _check_listed(place: str, values: Iterable[Value], others: Iterable[Value], reason: str) -> None:
    known = set(others)
    for value in values:
        if value not in known:
            raise FormatProblem(f"'{value.name}': {reason}", place)
