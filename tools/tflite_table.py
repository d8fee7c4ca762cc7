"""Writes the table of TensorFlow Lite's operators from the importer's: ``python -m tools.tflite_table``."""

from __future__ import annotations

from lite_delegate.basics.files import write_whole
from lite_delegate.formats.tflite.table import CONVERTERS
from lite_delegate.formats.tflite.tensors.layout import enum_names
from lite_delegate.formats.tflite.unmapped import UNMAPPED

from .generated_tables import DOCS, markdown, summary, with_parts

COMMAND = "python -m tools.tflite_table"
DOCUMENT = DOCS / "tflite.md"
HEADS = ("operator", "becomes")


def operators_table() -> str:
    """The counts, and a row per builtin operator, by name."""
    names = sorted(enum_names("BuiltinOperator").values())
    rows = [(f"`{name}`", _becomes(name)) for name in names]
    return f"{len(CONVERTERS)} of {len(names)} builtin operators are converted.\n\n{markdown(HEADS, rows)}"


def with_table(document: str) -> str:
    """``document`` with its table as it is now."""
    return with_parts(document, COMMAND, [operators_table()])


def _becomes(name: str) -> str:
    """The docstring of the converter, or why there is none."""
    return summary(CONVERTERS[name]) if name in CONVERTERS else f"`Custom`: {UNMAPPED[name]}."


if __name__ == "__main__":
    write_whole(DOCUMENT, with_table(DOCUMENT.read_text(encoding="utf-8")).encode())
