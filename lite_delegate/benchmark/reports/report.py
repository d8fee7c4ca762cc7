"""BenchmarkReport: measured results, with the forms in which they can be written."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...basics.data_class import dataclass
from .results import BenchmarkData
from .text import benchmark_markdown, benchmark_text


@dataclass(frozen=True, slots=True)
class BenchmarkReport(BenchmarkData):
    """One benchmark of a model, see ``BenchmarkData``, and its forms."""

    def to_text(self) -> str:
        """The report for a terminal, at most 100 columns wide."""
        return benchmark_text(self)

    def to_markdown(self) -> str:
        """The report as markdown."""
        return benchmark_markdown(self)


RENDERERS: Mapping[str, Callable[[BenchmarkData], str]] = {
    "text": benchmark_text,
    "json": BenchmarkData.to_json,
    "markdown": benchmark_markdown,
}
"""By the name of the format; the first is the default."""
