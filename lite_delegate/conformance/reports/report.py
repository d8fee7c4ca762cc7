"""ConformanceReport: the results of a conformance run, with the forms in which they can be written."""

from __future__ import annotations

from ...basics.data_class import dataclass
from ...reporting.forms import forms
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


RENDERERS = forms(conformance_text, html=conformance_page, junit=conformance_junit)
"""The forms of ``ConformanceData``."""
