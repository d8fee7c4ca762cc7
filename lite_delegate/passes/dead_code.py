"""Removes nodes whose results nobody reads."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from ..ir import Graph, Node
from ..ir.traits import SIDE_EFFECTS
from .framework.base import PassResult
from .framework.graph_pass import GraphPass


class DeadCodePass(GraphPass):
    """Removes nodes whose results nobody reads, in the main graph and in each subgraph.

    1. A node none of whose outputs is read by a kept node or is an output of its graph is removed.
    2. A node in ``SIDE_EFFECTS`` is kept, and so are the nodes that it reads from.
    3. A node of which at least one output is read is kept with all its outputs.
    4. Inputs of the graph are kept, read or not: they are the caller's.
    """

    name: ClassVar[str] = "dead-code"

    def call(self, graph: Graph) -> PassResult[Graph]:
        """The graph without dead nodes; idempotent."""
        main = _without_dead_nodes(graph)
        subgraphs = [_without_dead_nodes(g) for g in graph.subgraphs]
        if main is graph and all(new is old for new, old in zip(subgraphs, graph.subgraphs, strict=True)):
            return PassResult(graph, modified=False)
        return PassResult(replace(main, subgraphs=subgraphs), modified=True)


def _without_dead_nodes(graph: Graph) -> Graph:
    producers = graph.producers()
    kept: set[Node] = set()
    waiting = [n for n in graph.nodes if n.op_type in SIDE_EFFECTS]
    waiting += [producers[v] for v in graph.outputs if v in producers]
    while waiting:
        node = waiting.pop()
        if node not in kept:
            kept.add(node)
            waiting += [producers[v] for v in node.inputs if v in producers]
    if len(kept) == len(graph.nodes):
        return graph
    return replace(graph, nodes=[n for n in graph.nodes if n in kept])
