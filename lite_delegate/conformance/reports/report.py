"""ConformanceReport: the results of a conformance run, with the forms in which they can be written."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...basics.data_class import dataclass
from .junit import conformance_junit
from .page import conformance_page
from .results import ConformanceData
from .text import conformance_text


@dataclass(frozen=True, slots=True)
class ConformanceReport(ConformanceData):
    """All results of one conformance run, see ``ConformanceData``, and their forms."""

    def to_text(self) -> str:
        """The report for a terminal: a row per operator, then what is over-claimed, under-claimed and rejected."""
        return conformance_text(self)

    def to_html(self) -> str:
        """The report as one page that needs nothing else."""
        return conformance_page(self)


RENDERERS: Mapping[str, Callable[[ConformanceData], str]] = {
    "text": conformance_text,
    "json": ConformanceData.to_json,
    "html": conformance_page,
    "junit": conformance_junit,
}
"""By the name of the format; the first is the default."""
