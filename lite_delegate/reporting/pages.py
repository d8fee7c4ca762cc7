"""HTML pages that are one file: a template whose marks are filled with styles, scripts and data."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape
from importlib import resources
from typing import Any

_MARK = re.compile(r"\{\{ (\w+) \}\}")
_BREAK = "\u200b"
_MAY_BREAK = re.compile(r"(?:[^\s/_.:;-]{24}|[/_.:;-]+)(?=\S)")
"""The places in a name behind which a line may end: separators, and the middle of words that are too long."""


def fill(template: str, parts: Mapping[str, str]) -> str:
    """The template with each ``{{ NAME }}`` replaced by its part; marks inside parts are left as they are.

    Raises:
        KeyError: the template has a mark that has no part.
    """
    return _MARK.sub(lambda found: parts[found[1]], template)


def page(package: str, parts: Mapping[str, str], *, cards_below: int) -> str:
    """The template ``page.html`` of a package, filled with parts; ``{{ base }}`` is what all pages have.

    Args:
        package: has the template.
        parts: what stands in place of each mark.
        cards_below: the width in pixels from which a table of class "cards" has room; below, each row is a card. An
            element around the table is its CSS container.

    Raises:
        KeyError: the template has a mark that has no part.
    """
    base = resources.files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    base = fill(base, {"cards": f"max-width: {cards_below - 1}px"})
    return fill(resources.files(package).joinpath("page.html").read_text(encoding="utf-8"), {**parts, "base": base})


def as_data(data: Any) -> str:
    """Data as JSON for a script element of type ``application/json``: no text in it can close the element.

    Raises:
        ValueError: a number is infinite or not a number, which JSON has no word for.
    """
    return json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def as_text(text: str) -> str:
    """Text that shows as it is wherever it stands in a page."""
    return escape(text)


def as_name(text: str) -> str:
    """A name like ``as_text``, which breaks behind its separators where a line is too short, and not inside words."""
    marked = _MAY_BREAK.sub(lambda found: found[0] + _BREAK, text)
    return escape(marked).replace(_BREAK, "<wbr>")
