"""ComparisonReport: the errors of a delegate, with the forms in which they can be written."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...basics.data_class import dataclass
from ..results import ComparisonData
from .markdown import comparison_markdown
from .page import comparison_page
from .text import comparison_text


@dataclass(frozen=True, slots=True)
class ComparisonReport(ComparisonData):
    """The errors of a delegate, see ``ComparisonData``, and their forms."""

    def to_text(self) -> str:
        """The report as text for a terminal, at most 100 columns wide."""
        return comparison_text(self)

    def to_markdown(self) -> str:
        """The report as Markdown, with every metric."""
        return comparison_markdown(self)

    def to_html(self) -> str:
        """The report as one HTML page that needs nothing but a browser."""
        return comparison_page(self)


RENDERERS: Mapping[str, Callable[[ComparisonData], str]] = {
    "text": comparison_text,
    "json": ComparisonData.to_json,
    "markdown": comparison_markdown,
    "html": comparison_page,
}
"""By the name of the format; the first is the default."""
