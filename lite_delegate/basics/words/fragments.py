"""HTML for a cell of a notebook: no script, no network, of bounded size, and all names are shown as they are."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from .names import shorten

MOST_ROWS = 20
"""Rows of a table that are shown."""
MOST_CHARACTERS = 80
"""Characters of a cell."""


def fragment(
    line: str,
    picture: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[Any]],
    whole: str = "to_dataframe() has all",
) -> str:
    """A line of text, a drawing, and a table of which at most ``MOST_ROWS`` rows are shown.

    Args:
        line: text for people.
        picture: HTML, "" for none.
        headings: of the columns.
        rows: numbers, texts, and None for an empty cell.
        whole: the place of the rows that are not shown, in words.
    """
    head = "".join(f"<th>{escape(each)}</th>" for each in headings)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows[:MOST_ROWS])
    left = len(rows) - MOST_ROWS
    more = f"<div>... {left:,} more rows; {whole}.</div>" if left > 0 else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else ""
    return f"<div><div><code>{escape(line)}</code></div>{picture}{table}{more}</div>"


def _cell(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f'<td style="text-align:left">{escape(shorten(_text(value), MOST_CHARACTERS))}</td>'
    return f"<td>{value:,}</td>" if isinstance(value, int) else f"<td>{value:.4g}</td>"


def _text(value: Any) -> str:
    if value is None:
        return ""
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
