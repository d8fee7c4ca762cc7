"""ComparisonReport: the errors of a delegate, with the forms in which they can be written."""

from __future__ import annotations

from typing import Any

from ...basics.data_class import dataclass
from ...reporting.forms import forms
from ...reporting.schemas import packaged_schema
from ..results import ComparisonData
from .markdown import comparison_markdown
from .page import comparison_page
from .text import comparison_text


@dataclass(frozen=True, slots=True)
class ComparisonReport(ComparisonData):
    """The errors of a delegate, see ``ComparisonData``, and their forms."""

    def to_text(self) -> str:
        """The report as text, at most 100 columns wide where no terminal shows it."""
        return comparison_text(self)

    def to_markdown(self) -> str:
        """The report as Markdown, with every metric."""
        return comparison_markdown(self)

    def to_html(self) -> str:
        """The report as one HTML page that needs nothing but a browser."""
        return comparison_page(self)


RENDERERS = forms(comparison_text, markdown=comparison_markdown, html=comparison_page)
"""The forms of ``ComparisonData``."""


def comparison_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of ``ComparisonReport.to_dict``."""
    return packaged_schema(__package__, "comparison.schema.json")
