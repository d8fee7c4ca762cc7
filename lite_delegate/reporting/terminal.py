"""Text and tables for a terminal that use its width, and no more."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence

from tabulate import MIN_PADDING, tabulate

from .names import shares

WIDTH = 100
"""Columns of characters."""
GAP = 2
"""Between two columns of a table."""
LEAST = 3
"""The least width of a column, whatever the other columns take."""


def wrapped(text: str, width: int = WIDTH, first: str = "", rest: str = "") -> str:
    """Text in lines of a width, with indents. Words with hyphens stay whole: the names of options have some."""
    return textwrap.fill(text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def width(heading: str, cells: Sequence[str]) -> int:
    """Of one column of a table, whose cells may have several lines."""
    return max(len(heading) + MIN_PADDING, *(len(line) for cell in cells for line in cell.splitlines()), 0)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> str:
    """A table as wide as its cells, which are shown as they are.

    Args:
        columns: the headings.
        rows: the cells.
        right: numbers of the columns that are aligned to the right.
    """
    align = ["right" if i in right else "left" for i in range(len(columns))] if rows else None
    return tabulate(rows, columns, colalign=align, disable_numparse=True)


def fitted(
    columns: Mapping[str, Sequence[str]],
    flexible: Mapping[str, Callable[[str, int], str]],
    right: Collection[str] = (),
) -> str:
    """A table with the width of its cells, at most the width of the terminal.

    Args:
        columns: the cells by heading.
        flexible: the headings of those columns that give way, and what fits a cell into a width. What the others leave
            free is shared among them.
        right: the headings of the columns that are aligned to the right.
    """
    wanted = {heading: width(heading, cells) for heading, cells in columns.items()}
    taken = sum(wanted[heading] for heading in columns if heading not in flexible) + GAP * (len(columns) - 1)
    widths = shares(max(WIDTH - taken, LEAST * len(flexible)), [wanted[heading] for heading in flexible])
    cells = dict(columns)
    for (heading, fit), room in zip(flexible.items(), widths, strict=True):
        cells[heading] = [fit(cell, room) for cell in columns[heading]]
    align = ["right" if heading in right else "left" for heading in cells]
    return tabulate(cells, "keys", colalign=align if any(cells.values()) else None, disable_numparse=True)
