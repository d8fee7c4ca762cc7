"""Forms of their own: the builtin operators that kernels become, with their options and types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

pytest.importorskip("tflite")

from lite_delegate.backends.tflite_file.scope import Purpose
from lite_delegate.backends.tflite_file.table import FAMILIES, all_direct
from lite_delegate.backends.tflite_file.writing import has_own_form, scratch, write_kernel
from lite_delegate.delegate import Kernel
from lite_delegate.formats.tflite.export import Quantization
from lite_delegate.formats.tflite.export.graph import Written
from lite_delegate.ir import DataType, QuantParam, make_primitive
from lite_delegate.ir.types.enums import QuantType
from lite_delegate.tensors.tensor import Tensor

SCALE = (QuantParam(scale=0.5, zero_point=3, inited=True),)
WEIGHTS = np.ones((3, 3, 3, 2), np.float32)


class Plain(Kernel):
    def execute(self) -> None:
        raise AssertionError("never run")


def tensor(name: str, shape: Sequence[int], dtype: DataType = DataType.FLOAT32, **more: Any) -> Tensor:
    return Tensor.describe(name, dtype, tuple(shape), **more)


def constant(name: str, data: Any, dtype: DataType = DataType.FLOAT32, **more: Any) -> Tensor:
    return tensor(name, data.shape, dtype, data=data, is_const=True, **more)


def kernel(op: str, inputs: Sequence[Tensor | None], y: Tensor, **attributes: Any) -> Kernel:
    return Plain("node", op, inputs, [y], make_primitive(op, **attributes))


def written(given: Kernel) -> list[Written]:
    scope = scratch(given)
    write_kernel(given, scope)
    return scope.graph.operators


def kinds(given: Kernel) -> list[str]:
    return [each.use.kind for each in written(given)]


def conv(pads: Sequence[int], y: Sequence[int], **more: Any) -> Kernel:
    attributes = {"pad_mode": "PAD", "pad_list": list(pads), "group": 1, "kernel_size": [3, 3], **more}
    inputs = [tensor("x", (1, 6, 6, 2)), constant("w", WEIGHTS)]
    return kernel("Conv2DFusion", inputs, tensor("y", y), **attributes)


def test_the_table_names_operators_of_its_files() -> None:
    assert {name for names in FAMILIES.values() for name in names} <= set(all_direct())


def test_padding_is_same_or_valid_where_it_can_be() -> None:
    (same,) = written(conv((1, 1, 1, 1), (1, 6, 6, 3)))
    (valid,) = written(conv((0, 0, 0, 0), (1, 4, 4, 3)))
    assert (same.use.options["padding"], valid.use.options["padding"]) == (0, 1)
    assert kinds(conv((2, 1, 1, 1), (1, 7, 6, 3))) == ["PAD", "CONV_2D"]


def test_activations_are_fused_and_a_bias_of_zeros_is_there() -> None:
    (made,) = written(conv((1, 1, 1, 1), (1, 6, 6, 3), activation_type="RELU6"))
    assert made.use.options["fused_activation_function"] == 3
    bias = made.use.inputs[2]
    assert bias is not None
    np.testing.assert_array_equal(bias.data, np.zeros(3))


def test_a_group_for_each_channel_is_depthwise() -> None:
    inputs = [tensor("x", (1, 6, 6, 3)), constant("w", np.ones((6, 3, 3, 1), np.float32))]
    given = kernel("Conv2DFusion", inputs, tensor("y", (1, 6, 6, 6)), pad_mode="SAME", group=3, kernel_size=[3, 3])
    (made,) = written(given)
    assert made.use.kind == "DEPTHWISE_CONV_2D"
    assert made.use.options["depth_multiplier"] == 2
    assert made.use.inputs[1] is not None
    assert made.use.inputs[1].shape == (1, 3, 3, 6)


def quantized(op: str, inputs: Sequence[Tensor], y: Tensor, **attributes: Any) -> Kernel:
    made = kernel(op, inputs, y, **attributes)
    made.quant_type = QuantType.QUANT_ALL
    return made


def test_integers_with_scales_stay_integers() -> None:
    x, z = (tensor(name, (1, 4), DataType.INT8, quant_params=SCALE) for name in "xz")
    y = tensor("y", (1, 4), DataType.INT8, quant_params=(QuantParam(scale=0.75, zero_point=-1, inited=True),))
    (made,) = written(quantized("AddFusion", [x, z], y))
    assert (made.use.kind, made.version) == ("ADD", 2)
    assert [each.quantization is not None for each in made.use.outputs] == [True]


def test_integers_that_are_moved_are_scaled_anew_behind_it() -> None:
    x = tensor("x", (2, 4), DataType.INT8, quant_params=SCALE)
    y = tensor("y", (4, 2), DataType.INT8, quant_params=(QuantParam(scale=0.75, inited=True),))
    order = constant("order", np.array([1, 0], np.int32), DataType.INT32)
    assert kinds(quantized("Transpose", [x, order], y)) == ["TRANSPOSE", "QUANTIZE"]


def test_weights_with_zero_points_are_left_to_real_numbers() -> None:
    """LiteRT's convolutions of int8 take none."""
    x = tensor("x", (1, 6, 6, 2), DataType.INT8, quant_params=SCALE)
    w = constant("w", WEIGHTS.astype(np.int8), DataType.INT8, quant_params=SCALE)
    y = tensor("y", (1, 4, 4, 3), DataType.INT8, quant_params=SCALE)
    given = quantized("Conv2DFusion", [x, w], y, pad_mode="VALID", group=1, kernel_size=[3, 3])
    assert not has_own_form(given)
    assert "DEQUANTIZE" in kinds(given)


def test_halves_are_computed_in_float32() -> None:
    x, y = (tensor(name, (1, 4), DataType.FLOAT16) for name in "xy")
    assert kinds(kernel("Sqrt", [x], y)) == ["CAST", "SQRT", "CAST"]


def test_computed_places_count_from_the_end_except_in_tensorflow_lite() -> None:
    x, places = tensor("x", (4, 3)), tensor("places", (2,), DataType.INT32)
    axis = constant("axis", np.array(0, np.int32), DataType.INT32)
    given = kernel("Gather", [x, places, axis], tensor("y", (2, 3)))
    assert not has_own_form(given)
    assert kinds(given)[-1] == "GATHER"
    assert has_own_form(given, Purpose(is_tflite=True))


def test_a_hard_sigmoid_of_integers_is_a_bounded_sum() -> None:
    """The sum's integers stand for 6 times as much as the result's, so that the product with a sixth keeps them."""
    x = tensor("x", (1, 4), DataType.INT8, quant_params=SCALE)
    y = tensor("y", (1, 4), DataType.INT8, quant_params=(QuantParam(scale=1 / 256, zero_point=-128, inited=True),))
    total, product = written(quantized("Activation", [x], y, activation_type="HSIGMOID"))
    assert (total.use.kind, total.use.options["fused_activation_function"]) == ("ADD", 3)
    assert total.use.outputs[0].quantization == Quantization((6 / 256,), (-128,), 0)
    assert product.use.kind == "MUL"


@pytest.mark.parametrize(
    ("places", "kinds_of_it"),
    [([1, 2], ["SLICE"]), ([-1], ["SLICE"]), (1, ["SLICE", "RESHAPE"]), ([2, 1], ["GATHER"]), ([0, 2], ["GATHER"])],
)
def test_neighbors_are_sliced_and_other_places_gathered(places: Any, kinds_of_it: list[str]) -> None:
    x, axis = tensor("x", (2, 3, 4)), constant("axis", np.array(1, np.int32), DataType.INT32)
    array = np.array(places, np.int32)
    y = tensor("y", (2, *array.shape, 4))
    assert kinds(kernel("Gather", [x, constant("places", array, DataType.INT32), axis], y)) == kinds_of_it
