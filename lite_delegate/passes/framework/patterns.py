"""Parts of patterns: constants of one number, and the nodes that give a value."""

from __future__ import annotations

from ...ir import DataType, Node, Value
from .draft import Draft

FLOATS = (DataType.FLOAT32, DataType.FLOAT16, DataType.FLOAT64)


def scalar_of(draft: Draft, value: Value | None) -> float | None:
    """The only element of a constant, of any rank; None for everything else, variables among them."""
    data = draft.constant(value)
    return float(data.reshape(())) if data is not None and data.size == 1 and data.dtype.kind in "fiu" else None


def maker_of(draft: Draft, value: Value | None, op_type: str) -> Node | None:
    """The plain node of one output that gives a value, if it is of this type."""
    node = draft.producer(value)
    if node is None or node.op_type != op_type or len(node.outputs) != 1 or not draft.is_plain(node):
        return None
    return node


def inner_maker_of(draft: Draft, value: Value | None, op_type: str) -> Node | None:
    """As ``maker_of``, where the value has one reader alone and is no output of the graph."""
    node = maker_of(draft, value, op_type)
    return node if node is not None and draft.only_reader(node.outputs[0]) is not None else None


def is_activated(node: Node) -> bool:
    """True for a node with a fused activation."""
    return bool(node.primitive.attributes().get("activation_type", "NO_ACTIVATION") != "NO_ACTIVATION")
