"""Facts in the file of a compiled model, as plain data and text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...inference.model_file.header import check_kind
from ...reporting.forms import forms
from ...reporting.terminal import facts, table
from ...sections.sections import FORMAT_VERSION, SectionedFile


def compiled_info(file: SectionedFile) -> dict[str, Any]:
    """The header of a file as plain data, ready for JSON. Keys are only ever added.

    Raises:
        ModelFormatError: it is no compiled model.
    """
    check_kind(file)
    sections = [{"name": each.name, "bytes": each.length, "blake2b": each.blake2b} for each in file.sections.values()]
    return {"format": "compiled model", "format_version": FORMAT_VERSION, **file.fields, "sections": sections}


def _text(data: Mapping[str, Any]) -> str:
    delegates = ", ".join(each["name"] for each in data["delegates"]) or "none"
    head = [
        ("format", f"compiled model, format {data['format_version']}, schema {data['schema']}"),
        ("compiled by", f"lite-delegate {data['package']}"),
        ("delegates", delegates),
        *((f"{each['name']}: {name}", value) for each in data["delegates"] for name, value in each["key"].items()),
        *(("input", _port(port)) for port in data["inputs"]),
        *(("output", _port(port)) for port in data["outputs"]),
    ]
    rows = [(each["name"], f"{each['bytes']:,}", each["blake2b"][:16]) for each in data["sections"]]
    return f"{facts(head)}\n\n{table(('section', 'bytes', 'BLAKE2b'), rows, right=('bytes',))}"


def _port(port: Mapping[str, Any]) -> str:
    return f"{port['name']} {port['dtype']} {port['shape']}"


COMPILED_RENDERERS = forms(_text)
"""The forms of the data that ``compiled_info`` gives."""
