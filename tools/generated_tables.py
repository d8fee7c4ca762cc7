"""Tables in documents that programs write: Markdown, summaries of docstrings, and parts between two comments."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
END = "<!-- end of what is written -->"


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table that is not aligned: one long cell would make every line as long."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows))


def summary(documented: object) -> str:
    """The first paragraph of a docstring, on one line, for a cell of a table."""
    paragraph = inspect.cleandoc(documented.__doc__ or "").partition("\n\n")[0]
    return cell(paragraph)


def cell(text: str) -> str:
    """Text of a docstring on one line, for a cell of a table."""
    return " ".join(text.split()).replace("``", "`").replace("|", r"\|")


def with_parts(document: str, command: str, parts: Sequence[str]) -> str:
    """A document with its generated parts made anew.

    Args:
        document: the text, with ``<!-- written by COMMAND -->`` in front of each part and ``END`` behind it.
        command: the command that writes the parts.
        parts: the parts in the order of the document.

    Raises:
        ValueError: the document has not as many parts.
    """
    begin = f"<!-- written by {command} -->"
    places = re.compile(f"{re.escape(begin)}.*?{re.escape(END)}", re.DOTALL)
    if len(places.findall(document)) != len(parts):
        raise ValueError(f"The document must have {len(parts)} parts with {begin!r} in front and {END!r} behind.")
    made = iter(parts)
    return places.sub(lambda _: f"{begin}\n\n{next(made)}\n\n{END}", document)
