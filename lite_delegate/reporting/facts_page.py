"""A page of facts and tables for a browser, in one file: a heading, words with their texts, and sections below."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from .pages import as_name, as_text, page


def facts_page(title: str, facts: Iterable[tuple[str, str]], sections: Iterable[str], *, cards_below: int) -> str:
    """The page, which needs nothing but a browser.

    Args:
        title: of the page.
        facts: words, each with its text; a word may be "".
        sections: HTML, such as ``html_table`` gives.
        cards_below: the width in pixels from which the tables have room; below, each row is a card.
    """
    return page(
        __package__,
        {
            "title": as_text(title),
            "heading": as_name(title),
            "facts": "\n".join(f"<dt>{as_text(word)}</dt><dd>{as_name(text)}</dd>" for word, text in facts),
            "sections": "\n".join(sections),
            "narrow": f"{cards_below - 1}px",
        },
        cards_below=cards_below,
    )


def html_table(
    title: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    right: Collection[str] = (),
    notes: Iterable[str] = (),
) -> str:
    """A table below its title.

    Args:
        title: of the table.
        heads: of the columns; the first one has the titles of the rows.
        rows: cells as people read them.
        right: the headings of the columns that are aligned right.
        notes: lines below the table.
    """
    head = "".join(f"<th{_kind(each, heads, right)}>{as_text(each)}</th>" for each in heads)
    body = "\n".join(
        f"<tr>{''.join(_cell(head, text, heads, right) for head, text in zip(heads, row, strict=True))}</tr>"
        for row in rows
    )
    below = "".join(f"\n<p>{as_text(note)}</p>" for note in notes)
    return (
        f'<h2>{as_text(title)}</h2>\n<table class="cards">\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n'
        f"</table>{below}"
    )


def _kind(head: str, heads: Sequence[str], right: Collection[str]) -> str:
    return ' class="right"' if head in right and head != heads[0] else ""


def _cell(head: str, text: str, heads: Sequence[str], right: Collection[str]) -> str:
    kind = ' class="title"' if head == heads[0] else _kind(head, heads, right)
    return f'<td{kind} data-head="{as_text(head)}">{as_name(text)}</td>'
