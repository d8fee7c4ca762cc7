"""BenchmarkReport: measured results, with the forms in which they can be written."""

from __future__ import annotations

from typing import Any

from ...basics.data_class import dataclass
from ...reporting.forms import forms
from ...reporting.schemas import packaged_schema
from .page import benchmark_page
from .results import BenchmarkData
from .text import benchmark_markdown, benchmark_text


@dataclass(frozen=True, slots=True)
class BenchmarkReport(BenchmarkData):
    """One benchmark of a model, see ``BenchmarkData``, and its forms."""

    def to_text(self) -> str:
        """The report as text, at most 100 columns wide where no terminal shows it."""
        return benchmark_text(self)

    def to_markdown(self) -> str:
        """The report as markdown."""
        return benchmark_markdown(self)

    def to_html(self) -> str:
        """The report as one HTML page that needs nothing but a browser."""
        return benchmark_page(self)


RENDERERS = forms(benchmark_text, markdown=benchmark_markdown, html=benchmark_page)
"""The forms of ``BenchmarkData``."""


def benchmark_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of ``BenchmarkReport.to_dict``."""
    return packaged_schema(__package__, "benchmark.schema.json")
