"""The sources of a graph and its nodes in their model file, as plain data and back: ``.ms`` does not keep sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...basics.counted import counted
from ...errors import ModelFormatError
from ...ir import Graph, Signature, Source, Value


def plain_sources(graph: Graph) -> dict[str, Any]:
    """The sources of all nodes in the order of the file, removed nodes, signatures and shared variables."""
    nodes = [[_plain(source) for source in node.sources] for each in graph.all_graphs() for node in each.nodes]
    readers = [[_plain(source), [_plain(each) for each in read]] for source, read in graph.readers.items()]
    found: dict[str, Any] = {
        "nodes": nodes,
        "removed": [_plain(source) for source in graph.removed],
        "readers": readers,
    }
    signatures = [
        [each.key, each.is_elsewhere, _positions(each.inputs, graph.inputs), _positions(each.outputs, graph.outputs)]
        for each in graph.signatures
    ]
    if signatures:
        found["signatures"] = signatures
    if resources := _resources(graph):
        found["resources"] = resources
    return found


def give_sources(graph: Graph, plain: Any) -> None:
    """Sets the sources of a graph and its nodes.

    Raises:
        ModelFormatError: the number of sources differs from the number of nodes.
    """
    nodes = [node for each in graph.all_graphs() for node in each.nodes]
    if len(plain["nodes"]) != len(nodes):
        raise ModelFormatError(f"expected the sources of {counted(len(nodes), 'node')}, found {len(plain['nodes'])}.")
    for node, sources in zip(nodes, plain["nodes"], strict=True):
        node.sources = tuple(map(_source, sources))
    graph.removed = tuple(map(_source, plain["removed"]))
    graph.readers = {_source(source): tuple(map(_source, read)) for source, read in plain["readers"]}
    graph.signatures = tuple(
        Signature(str(key), _values(inputs, graph.inputs), _values(outputs, graph.outputs), bool(is_elsewhere))
        for key, is_elsewhere, inputs, outputs in plain.get("signatures", ())
    )
    found = plain.get("resources", ())
    if found:
        values = _parameters(graph)
        graph.resources = {values[position]: str(name) for position, name in found}


def _resources(graph: Graph) -> list[list[Any]]:
    """The names of the shared variables, with their positions among all variables."""
    if not graph.resources:
        return []
    return [[n, graph.resources[v]] for n, v in enumerate(_parameters(graph)) if v in graph.resources]


def _parameters(graph: Graph) -> list[Value]:
    found = (value for each in graph.all_graphs() for value in each.values() if value.is_parameter)
    return list(dict.fromkeys(found))


def _positions(named: Mapping[str, Value], values: Sequence[Value]) -> dict[str, int]:
    """The positions of named values; a value that is not in the list any more is left out."""
    return {name: values.index(value) for name, value in named.items() if value in values}


def _values(positions: Mapping[str, int], values: Sequence[Value]) -> dict[str, Value]:
    return {str(name): values[position] for name, position in positions.items()}


def _plain(source: Source) -> list[Any]:
    return [source.name, source.op_type, list(source.path), list(source.place)]


def _source(plain: Any) -> Source:
    name, op_type, path, place = plain
    return Source(str(name), str(op_type), tuple(map(str, path)), tuple(map(int, place)))
