"""docs/operators.md is what the code says."""

from __future__ import annotations

from lite_delegate.npu.operators.all_operators import ALL_OPERATORS
from tools.operators_table import (
    COMMAND,
    DOCUMENT,
    NPU_DOCUMENT,
    npu_table,
    operators_table,
    short_dtypes,
    with_npu_table,
)


def test_the_document_is_up_to_date() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == operators_table(), f"docs/operators.md is old; run: {COMMAND}"


def test_the_table_of_the_npu_is_up_to_date() -> None:
    document = NPU_DOCUMENT.read_text(encoding="utf-8")
    assert document == with_npu_table(document), f"docs/npu/support.md is old; run: {COMMAND}"
    assert npu_table() in document


def test_rows_say_what_the_registries_say() -> None:
    rows = {line.split("|")[1].strip(): line for line in operators_table().splitlines() if line.startswith("| ")}
    assert "float16, float32, float64" not in rows["Softmax"]
    assert "| float " in rows["Softmax"]
    assert rows["Softmax"].split("|")[3].strip() == "yes"
    assert rows["AudioSpectrogram"].split("|")[3].strip() == "no"
    assert "loop" in rows["Conv2DFusion"]


def test_every_operator_of_the_npu_has_its_condition() -> None:
    lines = [line.split(" | ") for line in npu_table().splitlines()[2:]]
    conditions = {line[0].removeprefix("| "): line[2] for line in lines}
    assert conditions == {operator.op_type: operator.condition for operator in ALL_OPERATORS}
    assert all(conditions.values())


def test_whole_families_have_one_word() -> None:
    assert short_dtypes(("float32", "float16", "float64")) == "float"
    assert short_dtypes(("bool", "float32", "int64", "int32")) == "bool, float32, int32, int64"
    assert short_dtypes(("int8", "int16", "int32", "int64", "uint8")) == "int, uint8"
