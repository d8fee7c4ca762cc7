"""What convolutions, poolings, matrix products and BiasAdd reject, and how they say it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ALL_KERNELS, UNKNOWN, ArraySpec, KernelInputError, KernelRegistry

REGISTRY = KernelRegistry(ALL_KERNELS)


def _spec(*shape: int, dtype: str = "float32") -> ArraySpec:
    return ArraySpec(np.dtype(dtype), shape)


X, W, B = _spec(1, 8, 8, 4), _spec(6, 3, 3, 4), _spec(6)
CONV: list[tuple[tuple[ArraySpec, ...], dict[str, Any], str]] = [
    ((_spec(1, 8, 8, 4, dtype="int8"), W), {"group": 1}, "x must be one of float32, float16, float64, got int8"),
    ((X, _spec(6, 3, 3, 4, dtype="int8")), {"group": 1}, "weight must be one of .*, got int8"),
    ((X, W, _spec(6, dtype="int32")), {"group": 1}, "bias must be one of .*, got int32"),
    ((_spec(8, 8, 4), W), {"group": 1}, r"x must be 4-D, got shape \(8, 8, 4\)"),
    ((X, _spec(16, 27)), {"group": 1}, r"weight must be 4-D, got shape \(16, 27\)"),
    ((X, W, _spec(1, 6)), {"group": 1}, r"bias must be 1-D, got shape \(1, 6\)"),
    ((X, W, _spec(5)), {"group": 1}, r"bias must have shape \(6,\), got \(5,\)"),
    ((X, _spec(6, 3, 3, 3)), {"group": 1}, r"x must have 3 channels, 3 for each of 1 group\(s\), got 4"),
    ((X, W), {}, r"x must have 24 channels, 4 for each of 6 group\(s\), got 4"),
    ((X, _spec(6, 3, 3, 1)), {"group": 4}, "group must be positive and divide the weight's first dimension 6, got 4"),
    ((X, W), {"group": -1}, "group must be positive and divide the weight's first dimension 6, got -1"),
    ((X, _spec(0, 3, 3, 4)), {}, r"weight must not be empty, got shape \(0, 3, 3, 4\)"),
    ((X, W), {"group": 1, "kernel_size": (3, 2)}, r"kernel_size must be that of the weight, \[3, 3\], got \[3, 2\]"),
    ((X, W), {"group": 1, "kernel_size": (3,)}, r"kernel_size must hold \[h, w\], each at least 1, got \[3\]"),
    ((X, W), {"group": 1, "stride": (0, 1)}, r"stride must hold \[h, w\], each at least 1, got \[0, 1\]"),
    ((X, W), {"group": 1, "dilation": (1, 0)}, r"dilation must hold \[h, w\], each at least 1, got \[1, 0\]"),
    ((X, W), {"group": 1, "pad_list": (0, 0, -1, 0)}, r"pad_list must not be negative, got \[0, 0, -1, 0\]"),
    ((X, W), {"group": 1, "pad_mode": "REFLECT"}, "pad_mode must be one of PAD, SAME, VALID, got REFLECT"),
    ((X, W), {"group": 1, "activation_type": "TANH"}, "activation_type must be one of .*, got TANH"),
    ((_spec(1, 2, 8, 4), W), {"group": 1}, "the kernel spans 3 elements, the padded input has only 2"),
    ((X, W), {"group": 1, "dilation": (1, 4)}, "the kernel spans 9 elements, the padded input has only 8"),
    ((_spec(1, 0, 8, 4), W), {"group": 1, "pad_mode": "SAME"}, "x must have at least one row and one column"),
]
DECONV: list[tuple[tuple[ArraySpec, ...], dict[str, Any], str]] = [
    ((X, _spec(6, 3, 3, 4)), {"group": 1}, "x must have the 6 channels of the weight's first dimension, got 4"),
    ((X, _spec(4, 3, 3, 2)), {"group": 3}, "group must be positive and divide the weight's first dimension 4, got 3"),
    ((X, _spec(4, 3, 3, 2), _spec(2)), {"group": 2}, r"bias must have shape \(4,\), got \(2,\)"),
    ((X, _spec(4, 3, 3, 2)), {"output_paddings": (-1, 0)}, r"output_paddings must hold \[h, w\], neither negative"),
    ((X, _spec(4, 3, 3, 2)), {"output_paddings": (1,)}, r"output_paddings must hold \[h, w\], neither .*\[1\]"),
    ((_spec(1, 1, 1, 4), _spec(4, 3, 3, 2)), {"pad_list": (2, 1, 0, 0)}, "pad_list takes 3 from an output of 3"),
    ((X, _spec(4, 3, 3, 2)), {"activation_type": "SIGMOID"}, "activation_type must be one of .*, got SIGMOID"),
    ((X, _spec(4, 3, 3, 2)), {"kernel_size": (2, 2)}, "kernel_size must be that of the weight"),
    ((X, _spec(4, 3, 3, 2)), {"stride": (-1, 1)}, "stride must hold"),
    ((X, _spec(4, 3, 3, 2)), {"pad_mode": "FULL"}, "pad_mode must be one of"),
    ((_spec(1, 8, 0, 4), _spec(4, 3, 3, 2)), {}, r"x must have at least one row and one column, got \(8, 0\)"),
    ((_spec(1, 8, 8, 4, dtype="int32"), _spec(4, 3, 3, 2)), {}, "x must be one of .*, got int32"),
]
POOL: list[tuple[tuple[ArraySpec, ...], dict[str, Any], str]] = [
    ((X,), {}, "kernel_size must be given unless global is set"),
    ((X,), {"kernel_size": (0, 2)}, r"kernel_size must hold \[h, w\], each at least 1, got \[0, 2\]"),
    ((X,), {"kernel_size": (2, 2), "strides": (2,)}, r"strides must hold \[h, w\], each at least 1, got \[2\]"),
    ((X,), {"kernel_size": (2, 2), "pad": (-1, 0, 0, 0)}, "pad must not be negative"),
    ((X,), {"kernel_size": (2, 2), "pad_mode": "REFLECT"}, "pad_mode must be one of"),
    ((X,), {"kernel_size": (2, 2), "round_mode": "ROUND"}, "round_mode must be FLOOR or CEIL, got ROUND"),
    ((_spec(8, 8),), {"global_": True}, r"x must be at least 3-D \(N, H, W, ...\), got shape \(8, 8\)"),
    ((_spec(1, 0, 8, 4),), {"global_": True}, r"x must have at least one row and one column, got \(0, 8\)"),
    ((_spec(1, 8, 8, 4, dtype="int8"),), {"global_": True}, "x must be one of .*, got int8"),
]
FULL: list[tuple[tuple[ArraySpec, ...], dict[str, Any], str]] = [
    ((X, _spec(5, 7)), {}, r"x must hold a multiple of 7 elements, got shape \(1, 8, 8, 4\)"),
    ((X, _spec(5, 0)), {}, "x must hold a multiple of 0 elements"),
    ((X, _spec(5, 4)), {"use_axis": True, "axis": 2}, r"x must have 4 elements from axis 2 on, got shape"),
    ((X, _spec(5, 4)), {"use_axis": True, "axis": 4}, "axis 4 is out of range for rank 4"),
    ((X, _spec(5, 4)), {"has_bias": True}, "bias must be given exactly when has_bias is set, has_bias is True"),
    ((X, _spec(5, 4), _spec(5)), {}, "bias must be given exactly when has_bias is set, has_bias is False"),
    ((X, _spec(5, 4), _spec(4)), {"has_bias": True}, r"bias must have shape \(5,\), got \(4,\)"),
    ((X, _spec(5, 4, 1)), {}, r"weight must be 2-D, got shape \(5, 4, 1\)"),
    ((_spec(2, 4, dtype="int8"), _spec(5, 4)), {}, "x must be one of .*, got int8"),
    ((_spec(2, 4), _spec(5, 4, dtype="int8")), {}, "weight must be one of .*, got int8"),
]
MATMUL: list[tuple[tuple[ArraySpec, ...], dict[str, Any], str]] = [
    ((_spec(3, 4), _spec(5, 3)), {}, r"as many columns as b has rows, got 4 and 5 in shapes \(3, 4\) and \(5, 3\)"),
    ((_spec(3, 4), _spec(4, 3)), {"transpose_a": True}, "got 3 and 4 in .* with transpose_a True, transpose_b False"),
    ((_spec(3, 4), _spec(4)), {}, "got 4 and 1"),
    ((_spec(3), _spec(4)), {}, "got 3 and 4"),
    ((_spec(3), _spec(3)), {"transpose_b": True}, "transpose_a and transpose_b must not be set for two vectors"),
    ((_spec(), _spec(3)), {}, r"a and b must be at least 1-D, got shapes \(\) and \(3,\)"),
    ((_spec(2, 3, 4), _spec(3, 4, 5)), {}, "cannot be broadcast together"),
    ((_spec(3, 4), _spec(4, 5), _spec(4)), {}, r"bias must have shape \(5,\) after leading ones, got \(4,\)"),
    ((_spec(3, 4), _spec(4, 5), _spec(3, 5)), {}, r"bias must have shape \(5,\) after leading ones, got \(3, 5\)"),
    ((_spec(3, 4), _spec(4, 5), _spec()), {}, r"bias must have shape \(5,\) after leading ones, got \(\)"),
    ((_spec(3, 4), _spec(4, 5)), {"activation_type": "TANH"}, "activation_type must be one of .*, got TANH"),
    ((_spec(3, 4, dtype="int8"), _spec(4, 5, dtype="int8")), {}, "a must be one of .*, got int8"),
    ((_spec(3, 4, dtype="int32"), _spec(4, 5, dtype="int64")), {}, "b must be one of int32, got int64"),
    ((_spec(3, 4), _spec(4, 5), _spec(5, dtype="int32")), {}, "bias must be one of .*, got int32"),
]
BIAS: list[tuple[tuple[ArraySpec, ...], dict[str, Any], str]] = [
    ((X, _spec(3)), {}, r"bias must have shape \(4,\), got \(3,\)"),
    ((X, _spec(1)), {}, r"bias must have shape \(4,\), got \(1,\)"),
    ((X, _spec(1, 4)), {}, r"bias must be 1-D, got shape \(1, 4\)"),
    ((_spec(), _spec(1)), {}, r"x must be at least 1-D, got shape \(\)"),
    ((_spec(2, 4, dtype="int32"), _spec(4)), {}, "bias must be one of int32, got float32"),
    ((_spec(2, 4, dtype="bool"), _spec(4)), {}, "x must be one of .*, got bool"),
]
AVERAGE: list[tuple[tuple[ArraySpec, ...], dict[str, Any], str]] = [
    ((X,), {"kernel_size": (2, 2), "pad": (2, 0, 0, 0)}, "window 0 of 9 holds only padding and has no mean"),
    (
        (_spec(1, 2, 4, 4),),
        {"kernel_size": (1, 1), "strides": (2, 1), "round_mode": "CEIL"},
        "window 1 of 2 holds only padding and has no mean",
    ),
]
TABLES = {
    "Conv2DFusion": CONV,
    "Conv2dTransposeFusion": DECONV,
    "MaxPoolFusion": POOL,
    "AvgPoolFusion": POOL + AVERAGE,
    "FullConnection": FULL,
    "MatMulFusion": MATMUL,
    "BiasAdd": BIAS,
}


@pytest.mark.parametrize(
    ("op_type", "inputs", "attributes", "message"),
    [(op_type, *row) for op_type, table in TABLES.items() for row in table],
)
def test_inference_rejects(
    op_type: str, inputs: tuple[ArraySpec, ...], attributes: dict[str, Any], message: str
) -> None:
    kernel = REGISTRY.find(op_type)
    assert kernel is not None
    with pytest.raises(KernelInputError, match=message):
        kernel.infer(*inputs, **attributes)


def test_the_smallest_input_that_a_kernel_fits_is_taken() -> None:
    kernel = REGISTRY.find("Conv2DFusion")
    assert kernel is not None
    spec = kernel.infer(_spec(1, 3, 9, 4), W, group=1, dilation=(1, 4))
    assert spec == _spec(1, 1, 1, 6)


def test_the_smallest_deconvolution_output_is_taken() -> None:
    kernel = REGISTRY.find("Conv2dTransposeFusion")
    assert kernel is not None
    assert kernel.infer(_spec(1, 1, 1, 4), _spec(4, 3, 3, 2), pad_list=(1, 1, 2, 0)) == _spec(1, 1, 1, 8)


def test_an_output_that_only_the_output_padding_makes_is_taken() -> None:
    kernel = REGISTRY.find("Conv2dTransposeFusion")
    assert kernel is not None
    attributes: dict[str, Any] = {"pad_list": (2, 1, 2, 1), "output_paddings": (1, 2)}
    assert kernel.infer(_spec(1, 1, 1, 4), _spec(4, 3, 3, 2), **attributes) == _spec(1, 1, 2, 8)


def test_average_without_a_mean_is_rejected_when_it_runs_too() -> None:
    kernel = REGISTRY.find("AvgPoolFusion")
    assert kernel is not None
    unknown = kernel.infer(_spec(1, UNKNOWN, 4, 4), kernel_size=(2, 2), pad=(2, 0, 0, 0))
    assert unknown == _spec(1, UNKNOWN, 3, 4)
    with pytest.raises(KernelInputError, match="holds only padding"):
        kernel.run(np.ones((1, 4, 4, 4), dtype=np.float32), kernel_size=(2, 2), pad=(2, 0, 0, 0))
