"""Pages, help and JSON schema of properties, all of them from the registry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .kinds import Choice, Integer, Kind, NameList, Or, Text, YesNo
from .shown import as_text
from .spec import Access, PropertySpec

HEADER = (
    "| property | access | values | default | scope, when | effect in this simulator |",
    "|---|---|---|---|---|---|",
)


def markdown_table(specs: Iterable[PropertySpec]) -> str:
    """A table in Markdown with a row for each property."""
    return "\n".join((*HEADER, *map(_row, specs)))


def _row(spec: PropertySpec) -> str:
    usual = spec.usual or ("" if spec.read_only else as_text(spec.default) or "empty")
    where = " ".join(filter(None, (spec.scope, spec.when)))
    cells = (f"`{spec.name}`", spec.may.value, spec.allowed, usual, where, spec.effect)
    return f"| {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |")


def json_schema(specs: Iterable[PropertySpec]) -> dict[str, object]:
    """The JSON schema of an object with values of properties that can be set."""
    settable = [spec for spec in specs if spec.may is Access.RW]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": False,
        "properties": {spec.name: {"description": spec.effect, **_schema_of(spec.kind)} for spec in settable},
    }


def _schema_of(kind: Kind | None) -> Mapping[str, object]:
    if isinstance(kind, YesNo):
        return {"enum": ["NO", False] if kind.never else ["YES", "NO", True, False]}
    if isinstance(kind, Choice):
        return {"enum": list(kind.values)}
    if isinstance(kind, Integer):
        found: dict[str, object] = {"type": "integer", "minimum": kind.minimum}
        return found if kind.maximum is None else {**found, "maximum": kind.maximum}
    if isinstance(kind, Or):
        return {"anyOf": [{"const": kind.word}, _schema_of(kind.kind)]}
    if isinstance(kind, Text):
        types = ["string", "integer"] if kind.takes_numbers else "string"
        return {"type": types, "maxLength": kind.most}
    if isinstance(kind, NameList):
        return {"type": "array", "items": {"enum": list(kind.known)}, "uniqueItems": True}
    return {"type": "string"}
