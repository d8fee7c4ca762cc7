"""Nodes that a delegate does not take, taken apart into nodes that it takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...delegate import RejectCode
from ...ir import Node
from .facts import RewriteFacts
from .parts import PARTS
from .rewrite import Rewrite, rewrite_of

IN_PARTS = "in-parts"
"""The rule that these rewrites name."""


def rewrite_in_parts(facts: RewriteFacts) -> Iterator[Rewrite]:
    """Rewrites each node that the delegate rejects, and takes all parts of."""
    for node in facts.draft.nodes():
        rejection = facts.ask(node) if node.op_type in PARTS else None
        if rejection is None or rejection.code == RejectCode.POLICY:
            continue
        made = _accepted(node, facts)
        if made is not None:
            facts.draft.replace([node], made)
            yield rewrite_of(IN_PARTS, [node], made, [rejection])


def _accepted(node: Node, facts: RewriteFacts) -> Sequence[Node] | None:
    """The first of a node's forms that the delegate takes wholly; None without such a form."""
    forms = PARTS[node.op_type](node, facts)
    return next((form for form in forms if all(facts.ask(part) is None for part in form)), None)
