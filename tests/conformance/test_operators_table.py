"""docs/operators.md is what the code says."""

from __future__ import annotations

from lite_delegate.npu.support import ALL_CHECKS
from tools.operators_table import COMMAND, DOCUMENT, npu_conditions, operators_table, short_dtypes


def test_the_document_is_up_to_date() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == operators_table(), f"docs/operators.md is old; run: {COMMAND}"


def test_rows_say_what_the_registries_say() -> None:
    rows = {line.split("|")[1].strip(): line for line in operators_table().splitlines() if line.startswith("| ")}
    assert "float16, float32, float64" not in rows["Softmax"]
    assert "| float " in rows["Softmax"]
    assert "for exactly one axis" in rows["Softmax"]
    assert rows["AudioSpectrogram"].split("|")[3].strip() == "no"
    assert "loop" in rows["Conv2DFusion"]


def test_every_claimed_operator_has_a_condition() -> None:
    conditions = npu_conditions()
    assert set(conditions) == {check.op_type for check in ALL_CHECKS}
    assert all(conditions.values())


def test_whole_families_have_one_word() -> None:
    assert short_dtypes(("float32", "float16", "float64")) == "float"
    assert short_dtypes(("bool", "float32", "int64", "int32")) == "bool, float32, int32, int64"
    assert short_dtypes(("int8", "int16", "int32", "int64", "uint8")) == "int, uint8"
