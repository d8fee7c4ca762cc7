"""Rewrites because of a delegate's limits, in rows for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from ..basics.words.one_line import printable
from ..runtime.records import NamedNode, RewriteRecord

HEADING = "put in equal forms that keep the delegate's limits:"
COLUMNS = ("times", "nodes", "is now", "first", "why")
FEWER = "fewer nodes with the same results"


def rewrite_rows(rewrites: Sequence[RewriteRecord]) -> list[tuple[str, str, str, str, str]]:
    """The rows of rewrites: count, operators before and after, the node whose result was rewritten first, and the
    reason.

    Rewrites that are alike in operators and reason are one row, the most frequent first.
    """
    found: dict[tuple[str, str, str], list[RewriteRecord]] = {}
    for rewrite in rewrites:
        why = f"{rewrite.code}: {rewrite.reason}" if rewrite.code else FEWER
        found.setdefault((_types(rewrite.before), _types(rewrite.after), why), []).append(rewrite)
    ordered = sorted(found.items(), key=lambda item: -len(item[1]))
    return [
        (str(len(alike)), before, after, printable(alike[0].before[-1].name), printable(why))
        for (before, after, why), alike in ordered
    ]


def _types(nodes: Sequence[NamedNode]) -> str:
    return printable(", ".join(_counted(nodes))) or "nothing"


def _counted(nodes: Sequence[NamedNode]) -> Iterator[str]:
    for op_type, same in groupby(node.type for node in nodes):
        count = len(list(same))
        yield op_type if count == 1 else f"{count} {op_type}"
