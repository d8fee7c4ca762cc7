"""A comparison as Markdown, with every metric of every error."""

from __future__ import annotations

from collections.abc import Iterator

from ...numerics.metrics import Metrics
from ...reporting.markdown import escaped, padded_table
from ..results import Comparison, ComparisonData
from .findings import LOSS_HEADS, LOSS_LEGEND, loss_notes, loss_rows, repair_lines, verdict_lines
from .text import culprit_text, decibels, full, largest, rows_of, tolerance_text, tracebacks

HEADS = ("where", "output", "outcome", "error", "abs", "dB", "relative", "cosine", "ULP", "unlike", "beyond")


def comparison_markdown(report: ComparisonData) -> str:
    """The summary with both verdicts as a list, the errors as one table with a row for each kind of error."""
    head = [
        f"# Comparison of {escaped(report.model or '(in memory)')}",
        "\n".join(
            (
                f"- delegate: {escaped(report.delegate)}",
                f"- tolerance: {tolerance_text(report)}",
                *(f"- {escaped(f'{word}: {text}' if word else text)}" for word, text in verdict_lines(report)),
            )
        ),
    ]
    notes = ["\n".join(f"- {escaped(note)}" for note in report.notes)] if report.notes else []
    culprits = [f"```\n{culprit_text(culprit)}\n```" for culprit in report.culprits]
    raised = [f"```\n{text}\n```" for text in tracebacks(report)]
    found = [padded_table(LOSS_HEADS, loss_rows(report.losses))] if report.losses else []
    found += [escaped(note) for note in (LOSS_LEGEND, *loss_notes(report.losses))] if report.losses else []
    if report.repair is not None:
        found.append(
            "\n".join(f"- {escaped(f'{word}: {text}' if word else text)}" for word, text in repair_lines(report.repair))
        )
    errors = padded_table(HEADS, error_rows(report))
    return "\n\n".join([*head, *notes, errors, *culprits, *raised, *found])


def error_rows(report: ComparisonData) -> list[tuple[str, ...]]:
    """A row for each error of each tensor, with every metric; cells as in ``HEADS``."""
    rows = [row for name, each in rows_of(report) for row in _rows(name, each)]
    whole = [("the model", t.name, str(t.outcome), *_metrics("total", t.total), str(t.beyond)) for t in report.outputs]
    return [*rows, *whole]


def _rows(name: str, each: Comparison) -> Iterator[tuple[str, ...]]:
    if not each.tensors:
        yield (name, each.detail, str(each.outcome), *[""] * 8)
    for tensor in each.tensors:
        for kind, found in (("own", tensor.own), ("inherited", tensor.inherited), ("total", tensor.total)):
            beyond = str(tensor.beyond) if kind == "own" else ""
            yield (name, tensor.name, str(tensor.outcome), *_metrics(kind, found), beyond)


def _metrics(kind: str, found: Metrics | None) -> tuple[str, ...]:
    return (kind, largest(found), decibels(found), *full(found))
