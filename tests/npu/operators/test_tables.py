"""Files and the table name the same operators; names are the schema's, limits the profile's."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

import lite_delegate.npu.operators as operators
from lite_delegate.npu.operators.all_operators import ALL_OPERATORS
from lite_delegate.npu.operators.elementwise import ELEMENTWISE
from lite_delegate.npu.profiles import OperatorLimits
from lite_delegate.npu.profiles.operators import known_operators

NAMES = [entry.op_type for entry in ALL_OPERATORS]
ROWS = [entry.op_type for entry in ELEMENTWISE]


def snake(op_type: str) -> str:
    """The operator's name as a file name: Conv2DFusion is conv2d_fusion, MatMulFusion matmul_fusion."""
    for written, plain in (("2D", "2d"), ("MatMul", "Matmul"), ("PReLU", "Prelu"), ("TopK", "Top_K"), ("CTC", "Ctc_")):
        op_type = op_type.rpartition(".")[2].replace(written, plain)
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=K)(?=F)", "_", op_type)
    return f"op_{words.lower()}"


def test_each_file_is_in_the_table():
    (folder,) = operators.__path__
    files = sorted(path.stem for path in Path(folder).glob("op_*.py"))
    assert [snake(name) for name in NAMES if name not in ROWS] == files


def test_rows_are_in_the_table_by_name():
    assert sorted(ROWS) == ROWS
    assert NAMES[: len(ROWS)] == ROWS


def test_no_operator_is_there_twice():
    assert len(set(NAMES)) == len(NAMES)


def test_operators_are_the_schemas():
    assert set(NAMES) <= set(known_operators())


@pytest.mark.parametrize("entry", ALL_OPERATORS, ids=NAMES)
def test_each_condition_says_something(entry):
    assert re.match(r"(for|where|with|along|over|across|between|from) ", entry.condition)
    assert not entry.condition.endswith(".")
    assert entry.takes


def test_each_limit_of_a_profile_is_an_operators():
    named = {limit for entry in ALL_OPERATORS for limit in entry.limits}
    assert named == {field.name for field in fields(OperatorLimits)}
