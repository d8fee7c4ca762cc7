"""Files and tables name the same operators; names are the schema's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import lite_delegate.npu.ops as ops
import lite_delegate.npu.support as support
from lite_delegate.ir.primitives import PRIMITIVE_CLASSES

NAMES = [entry.op_type for entry in ops.ALL_LOWERINGS]


def snake(op_type: str) -> str:
    """The operator's name as a file name: Conv2DFusion is conv2d_fusion, MatMulFusion matmul_fusion."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", op_type.replace("2D", "2d").replace("MatMul", "Matmul"))
    return f"op_{words.lower()}"


@pytest.mark.parametrize("package", [ops, support])
def test_each_file_is_in_its_table(package):
    (folder,) = package.__path__
    files = sorted(path.stem for path in Path(folder).glob("op_*.py"))
    table = ops.ALL_LOWERINGS if package is ops else support.ALL_CHECKS
    assert [snake(entry.op_type) for entry in table] == files


def test_what_may_be_claimed_is_what_can_be_lowered():
    assert [entry.op_type for entry in support.ALL_CHECKS] == NAMES
    assert len(set(NAMES)) == len(NAMES)


def test_operators_are_the_schemas():
    assert set(NAMES) <= set(PRIMITIVE_CLASSES)
