"""The names of operators, held to the packages that read the formats."""

from __future__ import annotations

import onnx.defs
import pytest
from tflite.BuiltinOperator import BuiltinOperator

from lite_delegate.ir.operator_names import ONNX, TFLITE, format_of, near_operator


def test_onnx_has_these() -> None:
    assert {schema.name for schema in onnx.defs.get_all_schemas_with_history()} == ONNX


def test_tensorflow_lite_has_these() -> None:
    assert {name for name in vars(BuiltinOperator) if not name.startswith("_")} == TFLITE


@pytest.mark.parametrize(
    ("word", "formats"),
    [("Conv", "ONNX"), ("ai.onnx.Conv", "ONNX"), ("CONV_2D", "TensorFlow Lite"), ("LSTM", "ONNX and TensorFlow Lite")],
)
def test_no_other_operator_is_offered_for_one_that_exists(word: str, formats: str) -> None:
    assert format_of(word) == formats
    assert near_operator(word, ["Cos", "Conv2D"]) == f"; it is an operator of {formats}, which has another name here."


def test_slips_of_the_pen_are_mended() -> None:
    assert near_operator("Cnov", ["Cos", "Conv"]) == ". Did you mean 'Conv'?"
    assert format_of("com.microsoft.Conv") == format_of("Cnov") == ""
