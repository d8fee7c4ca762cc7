"""Every builtin operator is either converted or Custom with a reason, and the page says which."""

from __future__ import annotations

import pytest

pytest.importorskip("tflite")

from lite_delegate.formats.tflite.table import CONVERTERS
from lite_delegate.formats.tflite.tensors.layout import enum_names
from lite_delegate.formats.tflite.unmapped import UNMAPPED
from tools.generated_tables import summary
from tools.tflite_table import COMMAND, DOCUMENT, operators_table, with_table


def test_every_operator_is_converted_or_custom() -> None:
    names = set(enum_names("BuiltinOperator").values())
    assert names == {*CONVERTERS, *UNMAPPED}
    assert not UNMAPPED.keys() & CONVERTERS.keys()


def test_the_page_is_up_to_date() -> None:
    document = DOCUMENT.read_text(encoding="utf-8")
    assert document == with_table(document), f"docs/tflite.md is old; run: {COMMAND}"


def test_a_row_has_the_docstring_of_the_converter_or_the_reason() -> None:
    rows = [line.strip("| ").split(" | ") for line in operators_table().splitlines() if line.startswith("| `")]
    found = {name.strip("`"): becomes for name, becomes in rows}
    assert set(found) == set(enum_names("BuiltinOperator").values())
    apart = ("`Custom`: ", "Rejected: ")
    assert {name for name, becomes in found.items() if becomes.startswith(apart)} == set(UNMAPPED)
    assert found["GATHER"] == "Gather along one axis; `batch_dims` must be 0."
    assert found["STABLEHLO_AND"] == "LogicalAnd of truth values."
    assert found["CONV_3D"] == "`Custom`: convolutions of ours have two dimensions. Written again as it was."


@pytest.mark.parametrize("name", CONVERTERS)
def test_a_converter_says_what_its_operator_becomes(name: str) -> None:
    assert summary(CONVERTERS[name]).endswith(".")
