"""A comparison as one HTML page that needs nothing but a browser."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...reporting.pages import as_name, as_text, page
from ..results import ComparisonData
from .findings import LOSS_HEADS, LOSS_LEGEND, loss_notes, loss_rows, repair_lines, verdict_lines
from .markdown import HEADS, error_rows
from .text import culprit_text, tolerance_text, tracebacks

CARDS_BELOW = 740
"""Pixels that the columns need."""


def comparison_page(report: ComparisonData) -> str:
    """Both verdicts, every metric of every error, where digits get lost, and the repair."""
    title = f"Comparison of {report.model or '(in memory)'}"
    facts = [
        ("delegate", report.delegate),
        ("tolerance", tolerance_text(report)),
        *verdict_lines(report),
        *(() if report.repair is None else repair_lines(report.repair)),
        *(("note", note) for note in report.notes),
    ]
    sections = [_table("Errors", HEADS, error_rows(report))]
    if report.losses:
        sections.append(_table("Where digits get lost", LOSS_HEADS, loss_rows(report.losses)))
        sections += [f"<p>{as_text(text)}</p>" for text in (LOSS_LEGEND, *loss_notes(report.losses))]
    sections += [f"<pre>{as_text(text)}</pre>" for text in (*map(culprit_text, report.culprits), *tracebacks(report))]
    return page(
        __package__,
        {
            "title": as_text(title),
            "heading": as_name(title),
            "facts": "\n".join(f"<dt>{as_text(word)}</dt><dd>{as_name(text)}</dd>" for word, text in facts),
            "sections": "\n".join(sections),
        },
        cards_below=CARDS_BELOW,
    )


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{as_text(each)}</th>" for each in heads)
    body = "\n".join(
        f"<tr>{''.join(_cell(head, text, heads[0]) for head, text in zip(heads, row, strict=True))}</tr>"
        for row in rows
    )
    return (
        f'<h2>{as_text(title)}</h2>\n<table class="cards">\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n'
        "</table>"
    )


def _cell(head: str, text: str, title: str) -> str:
    kind = ' class="title"' if head == title else ""
    return f'<td{kind} data-head="{as_text(head)}">{as_name(text)}</td>'
