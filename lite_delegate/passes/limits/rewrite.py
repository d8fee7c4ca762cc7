"""Rewrite: the old and the new nodes of a rewrite, and its reason."""

from __future__ import annotations

from collections.abc import Sequence

from ...basics.data_class import dataclass
from ...delegate import RejectCode, Rejected
from ...ir import Node, Source, joined_sources


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A rewrite of some nodes for a delegate.

    Attributes:
        rule: the name of the rule.
        before: names and operator types of the nodes that were replaced, or of whose results a part was.
        after: names and operator types of the new nodes; empty where no node is needed.
        code: the code of the first rejection of ``before``; None without a rejection: the form only has fewer nodes.
        reason: the reason of that rejection in words, "" without one.
        sources: the nodes of the file that ``before`` comes from.
    """

    rule: str
    before: tuple[tuple[str, str], ...]
    after: tuple[tuple[str, str], ...]
    code: RejectCode | None = None
    reason: str = ""
    sources: tuple[Source, ...] = ()


def rewrite_of(rule: str, before: Sequence[Node], after: Sequence[Node], rejections: Sequence[Rejected]) -> Rewrite:
    """The record of a rewrite of ``before``, of which a delegate gave these rejections, to ``after``."""
    code, reason = (rejections[0].code, rejections[0].reason) if rejections else (None, "")
    named = tuple(tuple((node.name, node.op_type) for node in nodes) for nodes in (before, after))
    return Rewrite(rule, named[0], named[1], code, reason, sources_of(before))


def sources_of(nodes: Sequence[Node]) -> tuple[Source, ...]:
    """The sources of nodes in the file; a node that comes from no file is its own source, so that its name is known."""
    return joined_sources(node.sources or (Source(node.name, node.op_type),) for node in nodes)
