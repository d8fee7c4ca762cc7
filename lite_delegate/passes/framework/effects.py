"""Effects beyond results: operators with effects, and values that change."""

from __future__ import annotations

from ...ir import Graph, Value
from ...ir.traits import ASSIGNMENTS, TRAITS

SIDE_EFFECTS = frozenset(name for name, traits in TRAITS.items() if traits.has_effect)
"""Operators that do something besides giving results; they stay whoever reads them."""


def variables_of(main: Graph) -> frozenset[Value]:
    """Values that may hold something else each time they are read: parameters, and whatever is assigned to."""
    found: set[Value] = set()
    for graph in main.all_graphs():
        found.update(v for node in graph.nodes for v in node.inputs if v is not None and v.is_parameter)
        found.update(n.inputs[0] for n in graph.nodes if n.op_type in ASSIGNMENTS and n.inputs and n.inputs[0])
    return frozenset(found)
