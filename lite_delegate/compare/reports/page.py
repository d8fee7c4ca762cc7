"""A comparison as one HTML page that needs nothing but a browser."""

from __future__ import annotations

from ...reporting.facts_page import facts_page, html_table
from ...reporting.pages import as_text
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
    sections = [html_table("Errors", HEADS, error_rows(report))]
    if report.losses:
        notes = (LOSS_LEGEND, *loss_notes(report.losses))
        sections.append(html_table("Where digits get lost", LOSS_HEADS, loss_rows(report.losses), notes=notes))
    sections += [f"<pre>{as_text(text)}</pre>" for text in (*map(culprit_text, report.culprits), *tracebacks(report))]
    return facts_page(title, facts, sections, cards_below=CARDS_BELOW)
