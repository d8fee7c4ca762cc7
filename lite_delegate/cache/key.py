"""CacheKey: the facts that an entry depends on, in comparable fields, and their hash."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from ..basics.data_class import dataclass
from ..sections.sections import canonical_json

CONTENT = "content"
"""The field that names the content of the entry; the other fields describe its making."""


@dataclass(frozen=True, slots=True)
class Change:
    """A field in which two keys differ, with both values as text; None where a key does not have the field."""

    field: str
    old: str | None
    new: str | None

    def __str__(self) -> str:
        return f"{self.field} {self.old} -> {self.new}"


@dataclass(frozen=True, slots=True)
class CacheKey:
    """The key of an entry.

    Attributes:
        fields: plain data. Nothing in it is a path, or a time of a file.
    """

    fields: Mapping[str, Any]

    @property
    def digest(self) -> str:
        """The hexadecimal SHA-256 of the fields."""
        return hashlib.sha256(canonical_json(self.fields)).hexdigest()

    @property
    def content(self) -> str:
        """The field ``CONTENT``."""
        return str(self.fields.get(CONTENT, ""))

    def changes_from(self, old: Mapping[str, Any]) -> tuple[Change, ...]:
        """The differences from the fields of another key, by names such as "device.npu.NPU_TILES"."""
        before, now = _flat(old), _flat(self.fields)
        names = dict.fromkeys((*now, *before))
        return tuple(Change(n, before.get(n), now.get(n)) for n in names if before.get(n) != now.get(n))


def _flat(data: Any, name: str = "") -> dict[str, str]:
    if not isinstance(data, Mapping):
        return {name: data if isinstance(data, str) else canonical_json(data).decode()}
    parts = (_flat(each, f"{name}.{key}" if name else str(key)) for key, each in data.items())
    return {path: text for part in parts for path, text in part.items()}
