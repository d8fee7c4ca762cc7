"""Inlining: the nodes of a subgraph in place of a call of it, where the subgraph calls nothing itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ....ir import Graph, Node, Value, make_primitive

MOST_NODES = 20_000
"""The most nodes of all graphs after inlining."""
CALLING = frozenset({"Call", "PartialFusion", "Switch", "SwitchLayer"})


def inlined(graph: Graph) -> Graph:
    """The graph without calls of subgraphs that call nothing; calls that choose, and loops, stay.

    The given graph without such calls, or where the result would be too large: calls may double it again and again.
    """
    leaves = {index for index, each in enumerate(graph.all_graphs()) if index and _is_leaf(each)}
    calls = [_inlinable(each, leaves) for each in graph.all_graphs()]
    nodes = sum(len(each.nodes) for each in graph.all_graphs())
    added = sum(len(graph.subgraph(target_of(partial)).nodes) for each in calls for partial in each.values())
    if not any(calls) or nodes + added > MOST_NODES:
        return graph
    main, *subgraphs = [_inlined(each, graph, own) for each, own in zip(graph.all_graphs(), calls, strict=True)]
    return inlined(replace(main, subgraphs=subgraphs))


def target_of(partial: Node) -> int:
    """The subgraph that a PartialFusion is of."""
    return int(partial.primitive.attributes()["sub_graph_index"])


def targets_of(graph: Graph) -> set[int]:
    """The subgraphs that the nodes of one graph may call."""
    return {target_of(node) for node in graph.nodes if node.op_type == "PartialFusion"}


def _is_leaf(graph: Graph) -> bool:
    return not any(node.op_type in CALLING for node in graph.nodes)


def _inlinable(each: Graph, leaves: set[int]) -> dict[Node, Node]:
    """The calls of one graph that are replaced, each with its PartialFusion, which nothing else reads."""
    partials = {node.outputs[0]: node for node in each.nodes if node.op_type == "PartialFusion"}
    readers = each.consumers()
    found: dict[Node, Node] = {}
    for node in each.nodes:
        partial = partials.get(node.inputs[0]) if node.op_type == "Call" and node.inputs[0] is not None else None
        if partial is not None and target_of(partial) in leaves and readers[partial.outputs[0]] == [node]:
            found[node] = partial
    return found


def _inlined(each: Graph, graph: Graph, calls: Mapping[Node, Node]) -> Graph:
    if not calls:
        return each
    gone = set(calls.values())
    nodes: list[Node] = []
    for node in each.nodes:
        partial = calls.get(node)
        if partial is not None:
            nodes += _copied(graph.subgraph(target_of(partial)), [*partial.inputs, *node.inputs[1:]], node.outputs)
        elif node not in gone:
            nodes.append(node)
    return replace(each, nodes=nodes)


def _copied(called: Graph, given: list[Value | None], results: list[Value]) -> list[Node]:
    """The nodes of a subgraph over other values."""
    known: dict[Value, Value | None] = dict(zip(called.inputs, given, strict=True))
    made = {value for node in called.nodes for value in node.outputs}
    own = {value: result for value, result in zip(called.outputs, results, strict=True) if value in made}
    known.update(own)
    for value in made:
        known.setdefault(value, replace(value))
    nodes = [_over(node, known) for node in called.nodes]
    for value, result in zip(called.outputs, results, strict=True):
        if own.get(value) is not result:  # an input, a constant, or a value that is given twice
            nodes.append(Node(result.name, make_primitive("Depend"), [known.get(value, value)], [result]))
    return nodes


def _over(node: Node, known: Mapping[Value, Value | None]) -> Node:
    inputs = [None if value is None else known.get(value, value) for value in node.inputs]
    outputs = [known.get(value) or value for value in node.outputs]
    return replace(node, inputs=inputs, outputs=outputs)
