"""The execution order of a graph's nodes."""

from __future__ import annotations

from ..errors import GraphError
from .graph import Graph, Node
from .value import Value


def topological_order(graph: Graph) -> list[Node]:
    """The nodes sorted so that each comes after the nodes it reads from.

    Of the nodes that could come next, the one that stands first in the file comes first, so a file order
    that is already executable is returned unchanged.

    Raises:
        GraphError: the nodes form a cycle; the message names its nodes.
    """
    if _is_ordered(graph):
        return list(graph.nodes)
    import networkx as nx

    position = {node: i for i, node in enumerate(graph.nodes)}
    producers = graph.producers()
    edges: nx.DiGraph[Node] = nx.DiGraph()
    edges.add_nodes_from(graph.nodes)
    edges.add_edges_from((producers[v], node) for node in graph.nodes for v in node.inputs if v in producers)
    try:
        return list(nx.lexicographical_topological_sort(edges, key=position.__getitem__))
    except nx.NetworkXUnfeasible as e:
        cycle = " -> ".join(f"'{source.name}'" for source, _ in nx.find_cycle(edges))
        raise GraphError(f"Graph '{graph.name}': nodes form a cycle: {cycle}.") from e


def _is_ordered(graph: Graph) -> bool:
    """True when no node reads a value that a later node (or the node itself) gives."""
    pending: set[Value | None] = {value for node in graph.nodes for value in node.outputs}
    for node in graph.nodes:
        if not pending.isdisjoint(node.inputs):
            return False
        pending.difference_update(node.outputs)
    return True
