"""The table of ONNX Runtime's kernels says what ONNX Runtime does."""

from __future__ import annotations

import re

import numpy as np
import onnxruntime as ort
import pytest

from lite_delegate import RejectCode
from lite_delegate.backends.lowering import NotLowered, Term
from lite_delegate.backends.onnx_file.types import GROUPS
from lite_delegate.backends.onnxruntime.emitting.cpu_types import KERNELS, VERSION
from lite_delegate.backends.onnxruntime.emitting.emitter import OnnxEmitter
from lite_delegate.backends.onnxruntime.emitting.signatures import SIGNATURES, bound
from lite_delegate.backends.onnxruntime.emitting.stand_ins import computed_in
from tools.onnx_types import groups
from tools.onnxruntime_types import row, tried, works

SAMPLE = sorted(SIGNATURES)[::6]


def test_each_operator_has_a_row_with_a_type() -> None:
    assert set(KERNELS) == set(SIGNATURES)
    assert [op for op, words in KERNELS.items() if not words.split()] == []


@pytest.mark.parametrize("op", SAMPLE)
def test_a_sample_of_the_table_is_found_again(op: str) -> None:
    if ort.__version__ == VERSION:
        assert KERNELS[op].split() == row(op).split()
        return
    listed = set(KERNELS[op].split())
    assert all(works(op, first, second) for first, second, word in tried(op) if word in listed)


@pytest.mark.parametrize(
    ("op", "own", "computed"),
    [
        ("Add", "float32", "float32"),
        ("Max", "int16", "int32"),
        ("ReduceMax", "uint64", None),
        ("Where", "uint64", "int64"),
        ("Erf", "float64", None),
        ("MatMul", "uint8", "int32"),
    ],
)
def test_narrow_integers_are_computed_in_wider_ones(op: str, own: str, computed: str | None) -> None:
    found = computed_in(op, {"T": np.dtype(own)})
    assert found == (None if computed is None else np.dtype(computed))


def test_operands_of_one_letter_have_one_type() -> None:
    single, half = np.dtype(np.float32), np.dtype(np.float16)
    assert bound("Conv", [single, single, None], [single]) == {"T": single}
    assert bound("Conv", [single, half], [single]) == "float32, has float16"


def test_what_has_no_kernel_is_rejected_with_its_type() -> None:
    x = Term("x", np.dtype(np.float64), (2, 3))
    with pytest.raises(NotLowered, match=re.escape("has none for float64")) as raised:
        OnnxEmitter("claims").check("Erf", [x], [(x.dtype, x.shape)], {})
    assert raised.value.rejected.code is RejectCode.DTYPE


@pytest.mark.parametrize("letter", sorted(GROUPS))
def test_the_types_of_files_are_those_of_onnx(letter: str) -> None:
    found = {names: " ".join(ops) for names, ops in groups(letter)}
    assert {names: " ".join(ops.split()) for names, ops in GROUPS[letter].items()} == found
