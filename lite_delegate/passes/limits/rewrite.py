"""Rewrite: what was put in the place of what, and why."""

from __future__ import annotations

from collections.abc import Sequence

from ...basics.data_class import dataclass
from ...delegate import RejectCode, Rejected
from ...ir import Node, Source, joined_sources


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A rewrite of some nodes for a delegate.

    Attributes:
        rule: its name.
        before: names and operator types of the nodes that it took the place of, or a part of whose results it gives.
        after: the same of those that it made; none where there was nothing to do.
        code: of the first rejection of ``before``; None where there was none, and there are only fewer nodes now.
        reason: the same for people, "" where there was none.
        sources: what ``before`` was in the file.
    """

    rule: str
    before: tuple[tuple[str, str], ...]
    after: tuple[tuple[str, str], ...]
    code: RejectCode | None = None
    reason: str = ""
    sources: tuple[Source, ...] = ()


def rewrite_of(rule: str, before: Sequence[Node], after: Sequence[Node], rejections: Sequence[Rejected]) -> Rewrite:
    """The rewrite that put nodes in the place of others, of which a delegate gave these rejections."""
    code, reason = (rejections[0].code, rejections[0].reason) if rejections else (None, "")
    named = tuple(tuple((node.name, node.op_type) for node in nodes) for nodes in (before, after))
    return Rewrite(rule, named[0], named[1], code, reason, sources_of(before))


def sources_of(nodes: Sequence[Node]) -> tuple[Source, ...]:
    """What nodes were in the file; one that comes from no file is what it is, so that its name keeps its meaning."""
    return joined_sources(node.sources or (Source(node.name, node.op_type),) for node in nodes)
