"""Provenance: the nodes of the file, remembered while passes replace nodes of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...ir import Graph, Node, Source, joined_sources


def hand_down(old: Sequence[Node], new: Sequence[Node]) -> None:
    """Gives new nodes the sources of the old nodes whose work they do now; ``old`` stays as it is.

    1. A new node that has sources already, such as a copy of an old node with other operands, keeps them.
    2. The remaining sources go to the new nodes without sources; if every new node has sources, to all new nodes.
    3. If rule 2 leaves new nodes without sources, they get all sources of the old nodes.

    Args:
        old: the replaced nodes, and the nodes whose results are not read any more.
        new: the new nodes; a node of ``old`` among them is not changed.
    """
    made = [node for node in new if node not in old]
    everything = joined_sources(node.sources for node in old)
    taken = {source for node in new for source in node.sources}
    rest = [source for source in everything if source not in taken]
    fresh = [node for node in made if not node.sources]
    for node in fresh or made:
        node.sources = joined_sources([node.sources, rest or (everything if fresh else ())])


def with_removed(before: Graph, after: Graph) -> Graph:
    """The graph whose removed nodes include the nodes of the file that no node comes from any more.

    Args:
        before: a graph, with the nodes that were removed so far.
        after: the graph that a pass made of it.
    """
    kept = _sources(after)
    gone = [source for source in _sources(before) if source not in kept]
    return replace(after, removed=joined_sources([before.removed, gone])) if gone else after


def _sources(graph: Graph) -> dict[Source, None]:
    return {source: None for each in graph.all_graphs() for node in each.nodes for source in node.sources}
