"""Quantized forms: which operators have one, and what their instructions are written out as."""

from __future__ import annotations

from lite_delegate.npu.blob.attributes import attribute_records, from_attributes
from lite_delegate.npu.device.instructions.quantized_convolution import QuantizedConvolution
from lite_delegate.npu.device.instructions.quantized_lookup import ByteLookup
from lite_delegate.npu.device.instructions.quantized_scaling import Requantization, ResultRounding, fixed_point
from lite_delegate.npu.device.programs.program import ElementType
from lite_delegate.npu.device.programs.window import Window
from lite_delegate.npu.operators.all_operators import ALL_OPERATORS

WITHOUT = (
    "BatchNorm",
    "Cast",
    "Clip",
    "CropAndResize",
    "DetectionPostProcess",
    "FloorDiv",
    "FloorMod",
    "LogicalAnd",
    "LogicalNot",
    "LogicalOr",
    "RealDiv",
    "Select",
    "Where",
    "org.openvinotoolkit.CTCGreedyDecoder",
)


def test_all_others_have_a_quantized_form() -> None:
    assert tuple(sorted(entry.op_type for entry in ALL_OPERATORS if entry.quantized is None)) == WITHOUT


def test_instructions_on_integers_can_be_written_out() -> None:
    to = Requantization(fixed_point([0.1, 0.2], ResultRounding.HALF_UP), 3, -128, 100, ElementType.INT8)
    window = Window((3, 3), (1, 1), (1, 1), (0, 0), (4, 4))
    for made in (QuantizedConvolution(window, -7, (1, 2), to, 2), ByteLookup(tuple(range(256)), ElementType.UINT8)):
        records = {str(record["name"]): record for record in attribute_records(made)}
        assert from_attributes(type(made), records) == made
