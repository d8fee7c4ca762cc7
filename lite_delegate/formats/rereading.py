"""Rereading: the graphs to be read again once the shapes of their inputs are known."""

from __future__ import annotations

from lite_delegate_kernels.built_in import built_in_kernels

from ..ir import Graph, Node, Reading
from ..ir.custom import import_reason
from ..shapes.finding import kernel_for
from .input_shapes import is_open
from .rejection import OF_SHAPES


def with_reading(graph: Graph, read: Reading) -> Graph:
    """The graph that was just read; it keeps how it is read again where known shapes would make another one of it.

    That is so where inputs are open and a node, which shapes would have made one of our operators, stayed as it is in
    the file.

    Args:
        graph: as it was read.
        read: reads it for the shapes of all inputs.
    """
    if any(map(is_open, graph.inputs)) and any(waits_for_shapes(n) for each in graph.all_graphs() for n in each.nodes):
        graph.reading = read
    return graph


def waits_for_shapes(node: Node) -> bool:
    """Whether nothing runs a node because of shapes that were not known, or did not fit, when the file was read."""
    reason = import_reason(node.primitive)
    return reason.partition(":")[0] in OF_SHAPES and kernel_for(built_in_kernels(), node) is None
