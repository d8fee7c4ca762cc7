"""What became of operators that have no counterpart: Custom nodes with their reasons."""

from __future__ import annotations

import re

from lite_delegate.ir import Graph, custom_attributes, custom_type


def reasons(graph: Graph) -> list[str]:
    """A line for each Custom node that an importer made: type, version and reason."""
    return [
        f"{custom_type(node.primitive)} (version {found['@version']}): {found['@reason']}"
        for each in graph.all_graphs()
        for node in each.nodes
        if node.op_type == "Custom" and "@reason" in (found := custom_attributes(node.primitive))
    ]


def assert_custom(graph: Graph, match: str) -> None:
    """Some node of the graph is Custom for a reason that matches."""
    found = reasons(graph)
    assert any(re.search(match, line) for line in found), f"expected {match!r} among {found}"
