"""A conformance report as one HTML page: the data in a template that draws, sorts and filters it."""

from __future__ import annotations

from ...reporting.pages import as_data, page
from .results import CaseOutcome, ConformanceData

CARDS_BELOW = 760
"""Pixels that the columns need."""


def conformance_page(report: ConformanceData) -> str:
    """A page that works from a file, without a network: styles, script and data are in it.

    Of the cases that passed it has the operators' numbers only.
    """
    data = report.to_dict()
    data["cases"] = [{**r.to_dict(), "detail": r.text} for r in report.all if r.outcome is not CaseOutcome.PASSED]
    data["rows"] = [*data["operators"], *data["families"]]
    return page(__package__, {"data": as_data(data)}, cards_below=CARDS_BELOW)
