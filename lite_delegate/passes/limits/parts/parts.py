"""The parts of a node: simpler nodes that compute its result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ....ir import Node
from ...parts import NodeParts
from ..facts import RewriteFacts

PartsOf = Callable[[Node, RewriteFacts], Iterator[Sequence[Node]]]
"""Node and facts to the forms that it has as other nodes, the best one first; none where it has none."""


def parts_for(node: Node, facts: RewriteFacts) -> NodeParts | None:
    """Parts for a node of plain numbers; None for quantized nodes, several outputs and open shapes."""
    x, shape = node.inputs[0], facts.shape(node.outputs[0])
    if x is None or shape is None or len(node.outputs) != 1 or not facts.draft.is_plain(node):
        return None
    return NodeParts(node, x, shape)


__all__ = ["NodeParts", "PartsOf", "parts_for"]
