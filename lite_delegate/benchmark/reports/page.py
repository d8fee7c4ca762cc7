"""A benchmark as one HTML page that needs nothing but a browser."""

from __future__ import annotations

from ...reporting.facts_page import facts_page, html_table
from .results import BenchmarkData
from .tables import tables_of
from .text import summary

CARDS_BELOW = 740
"""Pixels that the columns need."""


def benchmark_page(report: BenchmarkData) -> str:
    """The summary, and the tables of latency and, on request, of the parts of the time."""
    tables = (html_table(each.title, each.heads, each.rows, each.right, each.notes) for each in tables_of(report))
    title = f"Benchmark of {report.model or 'a model in memory'}"
    return facts_page(title, summary(report), tables, cards_below=CARDS_BELOW)
