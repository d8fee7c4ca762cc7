"""The tables of docs/npu/profiles.md say what the data classes say."""

from __future__ import annotations

import re

import pytest

from lite_delegate.npu.profiles import load_profile, profile_names
from lite_delegate.npu.profiles.bounds import NAMES, OperatorBounds
from lite_delegate.npu.profiles.parse import TABLES, TOP_KEYS
from lite_delegate.npu.profiles.schema import Key, keys_of
from tools.profile_tables import COMMAND, DOCUMENT, with_tables

PAGE = DOCUMENT.read_text(encoding="utf-8")
TYPES = {bool: "bool", int: "integer", float: "number", str: "text"}


def rows(heading: str) -> list[list[str]]:
    section = re.search(rf"^## {re.escape(heading)}$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert section, heading
    lines = [line for line in section[1].splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def expected_type(key: Key) -> str:
    if key.name.endswith("_since"):
        return "version"
    return f"list of {TYPES[key.item]}s" if key.container else TYPES[key.item]


def expected_range(key: Key) -> str:
    if key.item not in (int, float):
        return ""
    least, most = int(key.limits.minimum), int(key.limits.maximum)
    return f"{least} to {most}" if most < 2**53 else f"from {least}"


def expected_default(key: Key) -> str:
    if key.default is None:
        return '`"none"`'
    if isinstance(key.default, bool):
        return f"`{str(key.default).lower()}`"
    if isinstance(key.default, tuple):
        return f"`{list(key.default)}`"
    return f"`{key.default}`" if key.default != "" else '`""`'


@pytest.mark.parametrize("table", TABLES)
def test_keys_of_tables_are_documented_with_type_range_and_default(table):
    found = {cells[0].strip("`"): cells[1:] for cells in rows(f"`[{table}]`")}
    keys = keys_of(TABLES[table])
    assert list(found) == list(keys)
    for name, key in keys.items():
        kind, limits, default, meaning = found[name]
        assert (kind, limits, default) == (expected_type(key), expected_range(key), expected_default(key)), name
        assert meaning


def test_bounds_are_documented_as_limits_are():
    found = {cells[0].strip("`"): cells[1:] for cells in rows("`[limits.OPERATOR]`")}
    keys = keys_of(OperatorBounds)
    assert list(found) == list(keys)
    for name, key in keys.items():
        kind, limits, default, meaning = found[name]
        wanted = "list of names" if name in NAMES else expected_type(key)
        assert (kind, limits, default) == (wanted, expected_range(key), expected_default(key)), name
        assert meaning


def test_keys_outside_of_tables_are_documented():
    assert {cells[0].strip("`") for cells in rows("Keys outside of tables")} == set(TOP_KEYS)


def test_packaged_profiles_are_documented_with_their_figures():
    found = {cells[0].strip("`"): cells[1:] for cells in rows("Packaged profiles")}
    assert list(found) == list(profile_names())
    assert all(cells[0] == load_profile(name).description for name, cells in found.items())
    figures = ["FLOAT16, FLOAT32, INT8, UINT8", "6", "float16 1024, int8 2048", "975, 1300, 1700, 1950", "6 x 1536 KiB"]
    assert found["npu4000"][2:] == figures
    assert found["kirin"][1] == "62"


def test_the_tables_are_up_to_date():
    assert with_tables(PAGE) == PAGE, f"docs/npu/profiles.md is old; run: {COMMAND}"


def test_a_page_with_another_number_of_parts_is_refused():
    with pytest.raises(ValueError, match="7 parts"):
        with_tables("no part at all")
