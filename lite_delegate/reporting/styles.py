"""Styles of words on a terminal: a few names, each with its look. A word says the same without its style."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.theme import Theme

CPU = "CPU"


class Style(StrEnum):
    """The role of a word in a text."""

    HEADLINE = "headline"
    """An answer, and the headings of tables."""
    DELEGATE = "delegate"
    """A subgraph or a delegate that runs a node."""
    HOST = "host"
    """The CPU that runs a node."""
    REFUSAL = "refusal"
    """The code of a rejection."""
    GOOD = "good"
    UNSURE = "unsure"
    BAD = "bad"
    """Three verdicts."""
    WARNING = "warning"
    ERROR = "error"


_LOOKS: Mapping[Style, str] = {
    Style.HEADLINE: "bold",
    Style.DELEGATE: "cyan",
    Style.HOST: "magenta",
    Style.REFUSAL: "yellow",
    Style.GOOD: "green",
    Style.UNSURE: "yellow",
    Style.BAD: "red",
    Style.WARNING: "bold yellow",
    Style.ERROR: "bold red",
}
"""The looks, in the colours of the terminal's own palette: a reader chose that for a dark or a light background."""
_VERDICTS: Mapping[Style, frozenset[str]] = {
    Style.GOOD: frozenset({"yes", "ok", "honest", "passed", "present"}),
    Style.UNSURE: frozenset({"maybe", "inherited", "not compared", "under-claim", "untested", "rejected", "absent"}),
    Style.BAD: frozenset({"no", "wrong", "failed", "over-claim"}),
}


@cache
def theme() -> Theme:
    """The styles for rich."""
    from rich.theme import Theme

    return Theme({str(style): look for style, look in _LOOKS.items()})


def style_of_place(name: str) -> Style | None:
    """The style of a place that runs a node: of the CPU, or of a subgraph."""
    if not name:
        return None
    return Style.HOST if name == CPU else Style.DELEGATE


def style_of_verdict(word: str) -> Style | None:
    """The style of a verdict, an outcome or a state; None for another word."""
    return next((style for style, words in _VERDICTS.items() if word in words), None)
