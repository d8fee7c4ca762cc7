"""Variables: the values of a graph that change between reads."""

from __future__ import annotations

from ...ir import Graph, Value
from ...ir.traits import ASSIGNMENTS


def variables_of(main: Graph) -> frozenset[Value]:
    """Values that may hold something else each time they are read: parameters, and whatever is assigned to."""
    found: set[Value] = set()
    for graph in main.all_graphs():
        found.update(v for node in graph.nodes for v in node.inputs if v is not None and v.is_parameter)
        found.update(n.inputs[0] for n in graph.nodes if n.op_type in ASSIGNMENTS and n.inputs and n.inputs[0])
    return frozenset(found)
