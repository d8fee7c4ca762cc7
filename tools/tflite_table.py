"""Writes the tables of TensorFlow Lite's operators, in and out: ``python -m tools.tflite_table``."""

from __future__ import annotations

from lite_delegate.backends.tflite_file.direct.kept import refusal
from lite_delegate.backends.tflite_file.table import all_direct
from lite_delegate.basics.files import write_whole
from lite_delegate.formats.tflite.table import CONVERTERS
from lite_delegate.formats.tflite.tensors.layout import enum_names
from lite_delegate.formats.tflite.unmapped import UNMAPPED

from .generated_tables import DOCS, markdown, summary, with_parts

COMMAND = "python -m tools.tflite_table"
DOCUMENT = DOCS / "tflite.md"
RESOURCES = frozenset({"HASHTABLE", "HASHTABLE_FIND", "HASHTABLE_IMPORT", "HASHTABLE_SIZE"})
"""Operators on handles, which no tensor holds."""
HEADS = ("operator", "becomes")
WRITTEN_HEADS = ("operator of ours", "written as")


def operators_table() -> str:
    """The counts, and a row per builtin operator, by name."""
    names = sorted(enum_names("BuiltinOperator").values())
    rows = [(f"`{name}`", _becomes(name)) for name in names]
    return f"{len(CONVERTERS)} of {len(names)} builtin operators are converted.\n\n{markdown(HEADS, rows)}"


def with_table(document: str) -> str:
    """``document`` with its tables as they are now."""
    return with_parts(document, COMMAND, [written_table(), operators_table()])


def written_table() -> str:
    """The count, and a row per operator of ours with a builtin operator of its own kind, by name."""
    found = all_direct()
    rows = [(f"`{name}`", summary(write)) for name, write in found.items()]
    return f"{len(found)} operators have a form of their own.\n\n{markdown(WRITTEN_HEADS, rows)}"


def _becomes(name: str) -> str:
    """The docstring of the converter, or why there is none, and whether the operator can be written again."""
    if name in CONVERTERS:
        return summary(CONVERTERS[name])
    if name in RESOURCES:
        return f"Rejected: {UNMAPPED[name]}."
    why = refusal(name)
    return f"`Custom`: {UNMAPPED[name]}. " + (f"Not written again: {why}." if why else "Written again as it was.")


if __name__ == "__main__":
    write_whole(DOCUMENT, with_table(DOCUMENT.read_text(encoding="utf-8")).encode())
