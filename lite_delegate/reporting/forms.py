"""Forms: the one way from the data of a report to text, JSON, Markdown, pages and all else that a room writes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ..basics.words.one_line import OneLine
from .plain import json_text, to_plain
from .tables import Tabular

_D = TypeVar("_D")
Renderer = Callable[[_D], str]


class ReportData(Tabular, OneLine):
    """Data of a report. A frozen data class derives from it; its room renders it in forms, and JSON is one of them."""

    __slots__ = ()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, ready for JSON. Keys are only ever added. Infinite numbers are ``"inf"``."""

    def to_json(self) -> str:
        """The report as JSON text."""
        return json_text(self.to_dict())


def as_json(data: Any) -> str:
    """A report, or data that ``to_plain`` takes, as JSON text."""
    return data.to_json() if isinstance(data, ReportData) else json_text(to_plain(data))


def forms(text: Renderer[_D], **others: Renderer[_D]) -> Mapping[str, Renderer[_D]]:
    """The table of forms of one kind of data: the functions that render it, by the name that ``--format`` takes.

    Args:
        text: renders it for a terminal. It is the default, and comes first.
        others: the forms behind text and JSON; ``json`` where ``as_json`` gives other data than the form has.
    """
    return {"text": text, "json": as_json, **others}
