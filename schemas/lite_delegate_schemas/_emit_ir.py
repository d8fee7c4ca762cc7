"""Writes the enums and the primitive classes of ``lite_delegate.ir``."""

from __future__ import annotations

import keyword
import struct
from collections.abc import Iterable

from ._emit_layout import HEADER
from ._fbs import Schema
from .field import Field

HAND_WRITTEN = ("Format",)
"""Enums that ``lite_delegate.ir`` writes itself, because the API numbers them differently from the file."""

_SCALAR = {"bool": "bool", "float": "float", "double": "float"}
_VECTOR = {"float": "tuple[float, ...] | None", "double": "tuple[float, ...] | None"}


def emit_enums(schema: Schema) -> str:
    """The text of ``enums.py``."""
    parts = [HEADER + '"""Enums of the model format, under the schema\'s names."""\n\nfrom enum import IntEnum\n']
    for name, (_, values) in schema.enums.items():
        if name not in HAND_WRITTEN:
            rows = "".join(f"    {member} = {value}\n" for member, value in values.items())
            parts.append(f'class {name}(IntEnum):\n    """Values of the schema\'s {name}."""\n\n{rows}')
    return "\n\n".join(parts)


def emit_primitives(schema: Schema, union: str = "PrimitiveType") -> str:
    """The text of ``_generated/primitives.py``: one class per union member."""
    members = schema.unions[union]
    used = {f.enum for m in members for f in schema.tables[m] if f.enum}
    enums = sorted(used - set(HAND_WRITTEN))
    head = [
        HEADER + '"""One class per operator: its attributes under the schema\'s names, with the schema\'s defaults."""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import ClassVar",
        "",
        "from ..types.format import Format",
        "from ..primitive import Attribute, Primitive, primitive",
        f"from .enums import {', '.join(enums)}",
        "",
    ]
    classes = [_primitive(schema, name, tag) for tag, name in enumerate(members, start=1)]
    table = "\n".join(f"    {name!r}: {name}," for name in members)
    tail = f"PRIMITIVE_CLASSES: dict[str, type[Primitive]] = {{\n{table}\n}}\n"
    return "\n".join(head) + "\n" + "\n\n".join([*classes, tail])


def emit_exports(schema: Schema, union: str = "PrimitiveType") -> str:
    """The text of ``primitives.py``, which makes every class importable from one public place."""
    names = sorted([*schema.unions[union], "PRIMITIVE_CLASSES"], key=lambda name: (not name.isupper(), name))
    imported = sorted(names, key=lambda name: (not name.isupper(), name.lower()))
    head = HEADER + '"""The primitive classes of all operators."""\n\nfrom __future__ import annotations\n'
    imports = "from ._generated.primitives import (\n" + "".join(f"    {name},\n" for name in imported) + ")\n"
    listed = "__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]\n"
    return "\n".join([head, imports, listed])


def _primitive(schema: Schema, name: str, tag: int) -> str:
    rows = [
        "@primitive",
        f"class {name}(Primitive):",
        f'    """Attributes of {name}, number {tag}."""',
        "",
        f'    op_type: ClassVar[str] = "{name}"',
        f"    tag: ClassVar[int] = {tag}",
        *(_attribute(schema, f) for f in schema.tables[name]),
    ]
    return "\n".join(rows) + "\n"


def _attribute(schema: Schema, f: Field) -> str:
    annotation, default = _annotation(schema, f)
    return f"    {python_name(f.name)}: {annotation} = {default}"


def python_name(name: str) -> str:
    """A schema name that Python accepts: ``global`` becomes ``global_``."""
    return f"{name}_" if keyword.iskeyword(name) else name


def _annotation(schema: Schema, f: Field) -> tuple[str, str]:
    """The Python type of an attribute and its default, as source text."""
    if f.kind == "scalar" and f.enum is not None:
        return f.enum, f"{f.enum}.{_member(schema.enums[f.enum][1].items(), f.default)}"
    if f.kind == "scalar":
        kind = _SCALAR.get(f.type, "int")
        value = _single_precision(f.default) if f.type == "float" else f.default
        return kind, repr(bool(value) if kind == "bool" else value)
    if f.kind == "scalars":
        return _VECTOR.get(f.type, "tuple[int, ...] | None"), "None"
    if f.kind == "string":
        return "str | None", "None"
    if (f.kind, f.type) == ("table", "Vec2D"):
        return "tuple[tuple[int, ...], ...] | None", "None"
    if (f.kind, f.type) == ("tables", "Attribute"):
        return "tuple[Attribute, ...] | None", "None"
    raise ValueError(f"attribute {f.name}: no Python type for {f.kind} of {f.type}")


def _member(values: Iterable[tuple[str, int]], number: float) -> str:
    return next(name for name, value in values if value == number)


def _single_precision(value: float) -> float:
    """The nearest value that a float field can hold, so that defaults compare equal to stored values."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])
