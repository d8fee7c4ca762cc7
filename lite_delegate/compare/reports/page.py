"""A comparison as one HTML page that needs nothing but a browser."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...reporting.pages import as_text, page
from ..results import ComparisonData
from .findings import LOSS_HEADS, LOSS_LEGEND, loss_notes, loss_rows, repair_lines, verdict_lines
from .markdown import HEADS, error_rows
from .text import culprit_text, tolerance_text, tracebacks


def comparison_page(report: ComparisonData) -> str:
    """Both verdicts, every metric of every error, where digits get lost, and the repair."""
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
            "title": as_text(f"Comparison of {report.model or '(in memory)'}"),
            "facts": "\n".join(f"<dt>{as_text(word)}</dt><dd>{as_text(text)}</dd>" for word, text in facts),
            "sections": "\n".join(sections),
        },
    )


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    body = "\n".join(f"<tr>{_cells('td', row)}</tr>" for row in rows)
    return (
        f'<h2>{as_text(title)}</h2>\n<div class="wide"><table>\n<thead><tr>{_cells("th", heads)}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def _cells(kind: str, cells: Iterable[str]) -> str:
    return "".join(f"<{kind}>{as_text(cell)}</{kind}>" for cell in cells)
