"""Markdown that shows any text as it is, and GitHub's tables."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..basics.words.one_line import printable

_ESCAPES = str.maketrans({c: f"\\{c}" for c in "\\`*_[]|~#$"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"})


def escaped(text: object) -> str:
    """Text that Markdown shows as it is, in a table's cell too: on one line, with Markdown's characters escaped."""
    return printable(str(text)).translate(_ESCAPES)


def table(columns: Sequence[str], rows: Sequence[Sequence[object]], right: Collection[int] = ()) -> str:
    """A GitHub table; every cell is escaped.

    Args:
        columns: the headings.
        rows: the cells.
        right: numbers of the columns that are aligned to the right.
    """
    marks = ["---:" if i in right else "---" for i in range(len(columns))]
    lines = [list(map(escaped, columns)), marks, *(list(map(escaped, row)) for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def padded_table(columns: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> str:
    """The same, padded so that it reads well as text too.

    Args:
        columns: the headings, which are not escaped.
        rows: the cells.
        right: numbers of the columns that are aligned to the right.
    """
    from tabulate import tabulate

    align = ["right" if i in right else "left" for i in range(len(columns))] if rows else None
    cells = [[escaped(cell) for cell in row] for row in rows]
    return tabulate(cells, columns, "pipe", colalign=align, disable_numparse=True)
