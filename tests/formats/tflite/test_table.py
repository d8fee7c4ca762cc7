"""Every builtin operator is either converted or Custom with a reason, and the page says which."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("tflite")

from lite_delegate.formats.tflite.table import CONVERTERS
from lite_delegate.formats.tflite.tensors.layout import enum_names
from lite_delegate.formats.tflite.unmapped import UNMAPPED

PAGE = Path(__file__).parents[3] / "docs" / "tflite.md"


def test_every_operator_is_converted_or_custom() -> None:
    names = set(enum_names("BuiltinOperator").values())
    assert names == {*CONVERTERS, *UNMAPPED}
    assert not UNMAPPED.keys() & CONVERTERS.keys()


def test_the_page_has_every_operator_once() -> None:
    rows = [line.split("|")[1:-1] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    found = {name.strip(" `"): [cell.strip() for cell in rest] for name, *rest in rows}
    assert len(found) == len(rows)
    assert set(found) == set(enum_names("BuiltinOperator").values())
    for name, cells in found.items():
        assert cells[0] == ("as Custom" if name in UNMAPPED else cells[0]), name
        assert (cells[0] == "as Custom") == (name in UNMAPPED), name
        if name in UNMAPPED:
            assert cells[1] == UNMAPPED[name], name


def test_the_page_has_the_counts() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert f"{len(CONVERTERS)} of {len(enum_names('BuiltinOperator'))} builtin operators" in text
