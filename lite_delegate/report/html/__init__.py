"""A partition report as one HTML page that works from a file."""

from .page import data_page, report_page

__all__ = ["data_page", "report_page"]
