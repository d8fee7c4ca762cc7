"""A partition report as one HTML page that works from a file."""

from .page import report_page

__all__ = ["report_page"]
