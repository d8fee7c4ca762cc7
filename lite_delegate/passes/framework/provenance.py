"""Provenance: the nodes of the file, remembered while passes put others in their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...ir import Graph, Node, Source, joined_sources


def hand_down(old: Sequence[Node], new: Sequence[Node]) -> None:
    """Gives new nodes the sources of those whose work they do now; ``old`` stays as it is.

    1. A new node that has sources already, such as a copy of an old one with other operands, keeps them.
    2. What no new node has then goes to the new nodes without any; where there are none such, to all new nodes.
    3. New nodes without any get all sources of the old ones where 2 leaves them nothing: they were made for these.

    Args:
        old: the nodes that go, and those whose results are not read any more.
        new: the nodes that come; one of ``old`` among them is not changed.
    """
    made = [node for node in new if node not in old]
    everything = joined_sources(node.sources for node in old)
    taken = {source for node in new for source in node.sources}
    rest = [source for source in everything if source not in taken]
    fresh = [node for node in made if not node.sources]
    for node in fresh or made:
        node.sources = joined_sources([node.sources, rest or (everything if fresh else ())])


def with_removed(before: Graph, after: Graph) -> Graph:
    """The graph with what is in no node of it any more among what was removed.

    Args:
        before: a graph, which has what was removed until then.
        after: what a pass made of it.
    """
    kept = _sources(after)
    gone = [source for source in _sources(before) if source not in kept]
    return replace(after, removed=joined_sources([before.removed, gone])) if gone else after


def _sources(graph: Graph) -> dict[Source, None]:
    return {source: None for each in graph.all_graphs() for node in each.nodes for source in node.sources}
