"""Rewriting all graphs of a model, and their constants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...ir import Graph, Node, Value
from .base import PassResult
from .draft import Draft
from .variables import variables_of

ConstantRewrite = Callable[[Node, int, Value], Value]
"""Node, position and constant to the constant that takes its place there: the given one to leave it."""


def rewrite_graphs(graph: Graph, rewrite: Callable[[Graph], Graph]) -> PassResult[Graph]:
    """The graph and each of its subgraphs rewritten.

    Args:
        graph: the main graph.
        rewrite: returns the new form of one graph, or the given graph to leave it; does not see subgraphs.
    """
    main = rewrite(graph)
    subgraphs = [rewrite(each) for each in graph.subgraphs]
    if main is graph and all(new is old for new, old in zip(subgraphs, graph.subgraphs, strict=True)):
        return PassResult(graph, modified=False)
    return PassResult(replace(main, subgraphs=subgraphs), modified=True)


def rewrite_drafts(graph: Graph, rewrite: Callable[[Draft], None]) -> PassResult[Graph]:
    """The graph and each of its subgraphs after edits of their drafts, which know the variables of all graphs.

    Args:
        graph: the main graph.
        rewrite: edits the draft of one graph, or leaves it as it is.
    """
    variables = variables_of(graph)

    def rewritten(each: Graph) -> Graph:
        draft = Draft(each, variables)
        rewrite(draft)
        return draft.result()

    return rewrite_graphs(graph, rewritten)


def rewrite_constants(graph: Graph, rewrite: ConstantRewrite) -> PassResult[Graph]:
    """The graph and its subgraphs with other constants as inputs of nodes; given objects are not changed."""
    return rewrite_graphs(graph, lambda each: _rewritten(each, rewrite))


def _rewritten(graph: Graph, rewrite: ConstantRewrite) -> Graph:
    nodes = [_rewritten_node(node, rewrite) for node in graph.nodes]
    if nodes == graph.nodes:
        return graph
    return replace(graph, nodes=nodes)


def _rewritten_node(node: Node, rewrite: ConstantRewrite) -> Node:
    inputs = [
        rewrite(node, i, value) if value is not None and value.is_constant else value
        for i, value in enumerate(node.inputs)
    ]
    if inputs == node.inputs:
        return node
    return replace(node, inputs=inputs)
