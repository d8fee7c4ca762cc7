"""Schema: what decoder and encoder walk along."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from lite_delegate_schemas.field import Field

Record = dict[str, Any]
"""A table by field name: numbers, strings, arrays that view the buffer, records, ``Tables``, ``UnionMember``, None."""


class Schema:
    """One file format. The tables must not contain themselves, so that depth is bounded.

    Args:
        identifier: the four bytes at position 4 of a file.
        root: the table that a file starts with.
        tables: the fields of each table, by id.
        unions: the members of each union; the first has tag 1.
    """

    def __init__(
        self,
        identifier: bytes,
        root: str,
        tables: Mapping[str, tuple[Field, ...]],
        unions: Mapping[str, tuple[str, ...]],
    ) -> None:
        self.identifier = identifier
        self.root = root
        self.tables = tables
        self.unions = unions

    @cached_property
    def by_id(self) -> dict[str, tuple[Field, ...]]:
        """The fields of each table by id, with the tags of unions, which are fields of their own."""
        return {name: _with_tag(fields) for name, fields in self.tables.items()}

    @cached_property
    def defaults(self) -> dict[str, Record]:
        """The record of a table that holds nothing."""
        return {
            name: {f.name: default_of(f) for f in fields if f.kind != "deprecated"}
            for name, fields in self.tables.items()
        }

    @cached_property
    def most_fields(self) -> int:
        """Vtables may be longer, in files of newer releases; what comes after is ignored."""
        return max(len(fields) for fields in self.by_id.values())


def default_of(field: Field) -> Any:
    """The value of a scalar that a file leaves out; None for everything else."""
    if field.kind != "scalar":
        return None
    return bool(field.default) if field.type == "bool" else field.default


def _with_tag(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    if not fields or fields[0].kind != "union":
        return fields
    return (Field(0, fields[0].name, "tag", fields[0].type), *fields)
