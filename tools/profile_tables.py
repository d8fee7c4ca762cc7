"""Writes the tables of NPU profiles from the packaged files and the classes: ``python -m tools.profile_tables``."""

from __future__ import annotations

import inspect
import re

from lite_delegate.basics.files import write_whole
from lite_delegate.npu.operators.all_operators import ALL_OPERATORS
from lite_delegate.npu.profiles import load_profile, profile_names
from lite_delegate.npu.profiles.bounds import NAMES, OperatorBounds
from lite_delegate.npu.profiles.parse import SINCE, TABLES
from lite_delegate.npu.profiles.profile import Profile
from lite_delegate.npu.profiles.schema import NO_LIMIT, Key, keys_of

from .generated_tables import DOCS, cell, markdown, with_parts

COMMAND = "python -m tools.profile_tables"
DOCUMENT = DOCS / "npu" / "profiles.md"
PROFILE_HEADS = ("name", "device", "operators", "element types", "tiles", "MACs per cycle, tile", "MHz", "on the chip")
KEY_HEADS = ("key", "type", "range", "default", "meaning")
TYPES = {bool: "bool", int: "integer", float: "number", str: "text"}


def profiles_table() -> str:
    """A row per packaged profile."""
    return markdown(PROFILE_HEADS, [_profile_row(load_profile(name)) for name in profile_names()])


def keys_table(table: type) -> str:
    """A row per key of a table of the file, in the order of the class that the table becomes."""
    attributes = _attributes(table)
    rows = [
        (f"`{key.name}`", _type(table, key), _range(key), _default(key), attributes[key.name])
        for key in keys_of(table).values()
    ]
    return markdown(KEY_HEADS, rows)


def with_tables(document: str) -> str:
    """``document`` with its tables as they are now."""
    limits, *others = TABLES.values()
    parts = [profiles_table(), *map(keys_table, (limits, OperatorBounds, *others))]
    return with_parts(document, COMMAND, parts)


def _profile_row(profile: Profile) -> tuple[str, ...]:
    compute, memory = profile.compute, profile.memory
    operators = ALL_OPERATORS if profile.operators is None else profile.operators
    dtypes = sorted(dtype.name for dtype in profile.dtypes | profile.quantized)
    return (
        f"`{profile.name}`",
        profile.description,
        str(len(operators)),
        ", ".join(dtypes),
        str(compute.tiles),
        f"float16 {compute.float16_macs}, int8 {compute.int8_macs}",
        ", ".join(map(str, compute.clock_mhz)),
        f"{compute.tiles} x {memory.scratchpad_bytes // 1024} KiB",
    )


def _attributes(table: type) -> dict[str, str]:
    """The meanings of a class's fields, from the section ``Attributes`` of its docstring."""
    section = inspect.cleandoc(table.__doc__ or "").partition("\nAttributes:\n")[2]
    return {name: cell(text) for name, text in re.findall(r"^    (\w+): (.*?)(?=^    \w|\Z)", section, re.M | re.S)}


def _type(table: type, key: Key) -> str:
    if key.name.endswith(SINCE):
        return "version"
    if table is OperatorBounds and key.name in NAMES:
        return "list of names"
    return f"list of {TYPES[key.item]}s" if key.container else TYPES[key.item]


def _range(key: Key) -> str:
    """The range of numbers; empty where there is no number, or any that is not negative."""
    if key.item not in (int, float):
        return ""
    least, most = int(key.limits.minimum), int(key.limits.maximum)
    return f"from {least}" if most == 2**53 else f"{least} to {most}"


def _default(key: Key) -> str:
    if key.default is None:
        return f'`"{NO_LIMIT}"`'
    if isinstance(key.default, bool):
        return f"`{str(key.default).lower()}`"
    if isinstance(key.default, tuple):
        return f"`{list(key.default)}`"
    return f"`{key.default}`" if key.default != "" else '`""`'


if __name__ == "__main__":
    write_whole(DOCUMENT, with_tables(DOCUMENT.read_text(encoding="utf-8")).encode())
