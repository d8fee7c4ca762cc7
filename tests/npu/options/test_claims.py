"""Ranges that the model records: a kernel beyond the device's numbers is left to the host."""

from __future__ import annotations

import pytest

from lite_delegate import Rejected
from lite_delegate.delegate import RejectCode, Supported
from lite_delegate.ir import DataType
from lite_delegate.ir.value import QuantParam
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.options.claims import recorded_magnitude
from tests.npu.graphs import node, variable


def relu(low: float, high: float, dtype: DataType = DataType.FLOAT32):
    kernel = node("Activation", [variable("x", (2, 3), dtype)], (2, 3), dtype, activation_type=1)
    kernel.outputs[0].quant_params = (QuantParam(min=low, max=high),)
    return kernel


@pytest.mark.parametrize(
    ("low", "high", "rejected"),
    [(0, 65504, False), (0, 65505, True), (-65504, 0, False), (-65505, 0, True), (0, float("nan"), False)],
)
def test_a_range_beyond_float16_is_rejected(low, high, rejected):
    result = NPUDelegate().supports(relu(low, high))
    assert isinstance(result, Supported) is not rejected
    if rejected:
        assert isinstance(result, Rejected)
        assert result.code is RejectCode.LIMIT
        assert "the model records 65505 in output 0, float16 holds 65504 at most" in result.reason


@pytest.mark.shows("NPU", "VPU_IGNORE_IR_STATISTIC")
def test_ranges_are_ignored_where_a_user_wants_that_or_the_device_holds_them():
    wide = relu(0, 1e6)
    assert isinstance(NPUDelegate(options={"VPU_IGNORE_IR_STATISTIC": "YES"}).supports(wide), Supported)
    assert isinstance(NPUDelegate(options={"INFERENCE_PRECISION_HINT": "f32"}).supports(wide), Supported)


def test_ranges_of_quantized_tensors_say_nothing_about_real_numbers():
    tensor = variable("x", (2,), DataType.INT8)
    tensor.quant_params = (QuantParam(min=0, max=1e6),)
    assert recorded_magnitude(tensor) == 0.0
    assert recorded_magnitude(variable("x", (2,))) == 0.0
