"""Operators alone on the device, against loops and hand-written numbers; attributes at their values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite_delegate import Tensor
from lite_delegate.ir import DataType, to_numpy
from lite_delegate.ir.types.enums import ReduceMode
from tests.npu import loops
from tests.npu.graphs import Array, const, ints, node, predict, small_ints, variable

F16 = DataType.FLOAT16


def _nhwc(x: np.ndarray) -> np.ndarray:
    return x.transpose(0, 2, 3, 1)


def convolve(x_shape, w_shape, shape, loop, bias=None, **attributes):
    """Runs a convolution on whole numbers; exact, so that it must equal the loop's."""
    x, fed, weight = variable("x", x_shape), small_ints(x_shape, 1), small_ints(w_shape, 2)
    constants = [const("w", weight)] if bias is None else [const("w", weight), const("b", bias)]
    (got,) = predict([node("Conv2DFusion", [x, *constants], shape, **attributes)], {x: fed})
    want = _nhwc(loops.convolution(fed.transpose(0, 3, 1, 2), weight, shape[1:3], **loop))
    np.testing.assert_array_equal(got, want if bias is None else want + bias)


@pytest.mark.parametrize("group", [1, 3])
def test_convolution_same_recomputes_its_padding(group):
    # in 7, 6; stride 2; kernel 3 x 4: out 4, 3; total padding 2, 2 -> 1 above, 1 left
    convolve(
        (2, 7, 6, 3),
        (6, 3, 4, 3 // group),
        (2, 4, 3, 6),
        {"strides": (2, 2), "before": (1, 1), "group": group},
        kernel_size=(3, 4),
        stride=(2, 2),
        dilation=(1, 1),
        pad_mode="SAME",
        pad_list=(9, 9, 9, 9),
        group=group,
    )


def test_convolution_same_puts_the_odd_padding_below_and_right():
    convolve(
        (1, 4, 5, 2),
        (3, 2, 2, 2),
        (1, 4, 5, 3),
        {},
        kernel_size=(2, 2),
        stride=(1, 1),
        dilation=(1, 1),
        pad_mode="SAME",
        group=1,
    )


def test_convolution_same_with_dilation():
    # extent 5: total padding 4 -> 2 above and left
    convolve(
        (1, 6, 6, 2),
        (3, 3, 3, 2),
        (1, 6, 6, 3),
        {"dilations": (2, 2), "before": (2, 2)},
        stride=(1, 1),
        dilation=(2, 2),
        pad_mode="SAME",
        group=1,
    )


def test_convolution_valid_adds_its_padding_list():
    convolve(
        (1, 5, 6, 2),
        (3, 3, 2, 2),
        (1, 3, 4, 3),
        {"strides": (2, 2), "before": (1, 2)},
        stride=(2, 2),
        pad_mode="VALID",
        pad_list=(1, 1, 2, 0),
        group=1,
    )


def test_convolution_pads_each_side_as_listed():
    convolve(
        (1, 5, 6, 2),
        (3, 3, 2, 2),
        (1, 6, 8, 3),
        {"before": (3, 1)},
        stride=(1, 1),
        pad_mode="PAD",
        pad_list=(3, 0, 1, 2),
        group=1,
    )


def test_convolution_with_a_short_padding_list_has_none():
    convolve((1, 5, 6, 2), (3, 3, 2, 2), (1, 3, 5, 3), {}, stride=(1, 1), pad_list=(1, 1), group=1)


def test_convolution_depthwise_by_group_zero():
    convolve((1, 5, 6, 4), (4, 3, 3, 1), (1, 3, 4, 4), {"group": 4}, stride=(1, 1), group=0)


def test_convolution_depthwise_with_multiplier_is_grouped():
    convolve((1, 5, 6, 2), (6, 3, 3, 1), (1, 3, 4, 6), {"group": 2}, stride=(1, 1), group=2)


@pytest.mark.parametrize("group", [1, 4])
def test_convolution_with_bias(group):
    bias = np.array([1, -2, 3, 0], np.float32)
    convolve((1, 5, 6, 4), (4, 3, 3, 4 // group), (1, 3, 4, 4), {"group": group}, bias, stride=(1, 1), group=group)


@pytest.mark.parametrize(
    ("name", "low", "high"), [("RELU", 0, np.inf), ("RELU6", 0, 6), ("NO_ACTIVATION", -np.inf, np.inf)]
)
@pytest.mark.parametrize(
    "op_type", ["Conv2DFusion", "MaxPoolFusion", "AvgPoolFusion", "AddFusion", "MatMulFusion", "ScaleFusion"]
)
def test_fused_activation(op_type, name, low, high):
    x = variable("x", (1, 1, 4, 1))
    fed = np.array([-9, 0, 5, 20], np.float32).reshape(1, 1, 4, 1)
    one = {
        "Conv2DFusion": [const("w", np.ones((1, 1, 1, 1), np.float32))],
        "AddFusion": [const("zero", np.zeros((), np.float32))],
        "MatMulFusion": [const("w", np.ones((1, 1), np.float32))],
        "ScaleFusion": [const("w", np.ones((1,), np.float32))],
    }.get(op_type, [])
    attributes: dict[str, Any] = {"kernel_size": (1, 1)} if op_type.endswith("PoolFusion") else {}
    attributes |= {"axis": 3} if op_type == "ScaleFusion" else {}
    (got,) = predict([node(op_type, [x, *one], (1, 1, 4, 1), activation_type=name, **attributes)], {x: fed})
    np.testing.assert_array_equal(got, np.clip(fed, low, high))


POOLS: dict[str, tuple[dict[str, Any], tuple[int, int], tuple[int, int]]] = {
    "valid": ({"kernel_size": (2, 3), "strides": (2, 1), "pad_mode": "VALID"}, (3, 4), (0, 0)),
    "no_pad_attribute": ({"kernel_size": (3, 3), "strides": (2, 2)}, (3, 2), (0, 0)),
    "ceil": ({"kernel_size": (2, 2), "strides": (2, 2), "round_mode": "CEIL"}, (4, 3), (0, 0)),
    "ceil_overhang": ({"kernel_size": (3, 3), "strides": (2, 2), "round_mode": "CEIL"}, (3, 3), (0, 0)),
    "same": ({"kernel_size": (3, 3), "strides": (2, 2), "pad_mode": "SAME", "pad": (9, 9, 9, 9)}, (4, 3), (1, 0)),
    "padded": ({"kernel_size": (3, 3), "strides": (2, 2), "pad": (1, 0, 2, 1)}, (3, 4), (1, 2)),
    "global": ({"global_": True, "kernel_size": (2, 2), "pad": (1, 1, 1, 1)}, (1, 1), (0, 0)),
    "global_without_size": ({"global_": True}, (1, 1), (0, 0)),
}


@pytest.mark.parametrize("name", POOLS)
@pytest.mark.parametrize("op_type", ["MaxPoolFusion", "AvgPoolFusion"])
def test_pools(op_type, name):
    attributes, output, before = POOLS[name]
    x, fed = variable("x", (2, 7, 6, 3)), small_ints((2, 7, 6, 3), 3, -9, 10)
    size = (7, 6) if "global_" in attributes else attributes["kernel_size"]
    (got,) = predict([node(op_type, [x], (2, *output, 3), **attributes)], {x: fed})
    reduce = max if op_type == "MaxPoolFusion" else (lambda values: math.fsum(values) / len(values))
    want = loops.pool(fed.transpose(0, 3, 1, 2), size, output, attributes.get("strides", (1, 1)), before, reduce)
    np.testing.assert_allclose(got, _nhwc(want), rtol=2.0**-11, atol=0 if op_type == "MaxPoolFusion" else 1e-7)


@pytest.mark.parametrize(("transpose_a", "transpose_b"), [(False, False), (True, False), (False, True), (True, True)])
def test_matmul_of_two_variables_with_bias(transpose_a, transpose_b):
    a, b, bias = small_ints((3, 5), 4), small_ints((5, 4), 5), small_ints((4,), 6)
    left, right = a.T.copy() if transpose_a else a, b.T.copy() if transpose_b else b
    x, y = variable("x", left.shape), variable("y", right.shape)
    kernel = node("MatMulFusion", [x, y, const("bias", bias)], (3, 4), transpose_a=transpose_a, transpose_b=transpose_b)
    (got,) = predict([kernel], {x: left, y: right})
    np.testing.assert_array_equal(got, loops.matmul(a, b) + bias)


@pytest.mark.parametrize(
    ("x_shape", "use_axis", "axis", "shape"),
    [
        ((2, 3, 4), True, 1, (2, 5)),
        ((2, 3, 12), True, -1, (2, 3, 5)),
        ((2, 6), False, 7, (1, 5)),
        ((4, 6), False, 0, (2, 5)),
    ],
)
def test_full_connection(x_shape, use_axis, axis, shape):
    fed, weight = small_ints(x_shape, 7), small_ints((5, 12), 8)
    x = variable("x", x_shape)
    kernel = node("FullConnection", [x, const("w", weight)], shape, use_axis=use_axis, axis=axis)
    (got,) = predict([kernel], {x: fed})
    np.testing.assert_array_equal(got, loops.matmul(fed.reshape(-1, 12), weight.T).reshape(shape))


@pytest.mark.parametrize(
    ("attributes", "want"),
    [
        ({"activation_type": "LEAKY_RELU", "alpha": 0.25}, [-1.0, 0.0, 4.0]),
        ({"activation_type": "LEAKY_RELU"}, [0.0, 0.0, 4.0]),
        ({"activation_type": "ELU", "alpha": 2.0}, [2 * math.expm1(-4), 0.0, 4.0]),
        ({"activation_type": "RELU6"}, [0.0, 0.0, 4.0]),
        ({"activation_type": "SIGMOID"}, [1 / (1 + math.exp(4)), 0.5, 1 / (1 + math.exp(-4))]),
        ({"activation_type": "TANH"}, [-math.tanh(4), 0.0, math.tanh(4)]),
        ({"activation_type": "HSIGMOID"}, [0.0, 0.5, 1.0]),
        ({"activation_type": "HSWISH"}, [0.0, 0.0, 4.0]),
        ({"activation_type": "SWISH"}, [-4 / (1 + math.exp(4)), 0.0, 4 / (1 + math.exp(-4))]),
        ({"activation_type": "GELU"}, [-2 * math.erfc(2 * math.sqrt(2)), 0.0, 2 * math.erfc(-2 * math.sqrt(2))]),
        ({"activation_type": "GELU", "approximate": True}, [-7.0229e-05, 0.0, 3.99993]),
    ],
    ids=str,
)
def test_activation(attributes, want):
    x = variable("x", (3,))
    (got,) = predict([node("Activation", [x], (3,), **attributes)], {x: np.array([-4, 0, 4], np.float32)})
    np.testing.assert_allclose(got, want, rtol=2.0**-10, atol=2.0**-24)


@pytest.mark.parametrize(
    ("attributes", "want"),
    [
        ({}, [math.exp(-1), 1.0, math.exp(2)]),
        ({"base": 2.0}, [0.5, 1.0, 4.0]),
        ({"base": 2.0, "scale": 3.0, "shift": 1.0}, [0.25, 2.0, 128.0]),
        ({"base": -1.0, "scale": -1.0, "shift": 1.0}, [math.exp(2), math.exp(1), math.exp(-1)]),
    ],
    ids=str,
)
def test_exp(attributes, want):
    x = variable("x", (3,))
    (got,) = predict([node("ExpFusion", [x], (3,), **attributes)], {x: np.array([-1, 0, 2], np.float32)})
    np.testing.assert_allclose(got, want, rtol=2.0**-11)


def test_log_sin_cos_and_their_like_are_the_functions_of_their_names():
    fed = np.array([0.25, 1.0, 2.25], np.float32)
    names = ["Abs", "Ceil", "Cos", "Floor", "Log", "Neg", "Reciprocal", "Rsqrt", "Sin", "Sqrt", "Square"]
    scalars: list[Callable[[float], float]] = [
        abs,
        math.ceil,
        math.cos,
        math.floor,
        math.log,
        lambda v: -v,
        lambda v: 1 / v,
        lambda v: v**-0.5,
        math.sin,
        math.sqrt,
        lambda v: v * v,
    ]
    for name, scalar in zip(names, scalars, strict=True):
        x = variable("x", (3,))
        (got,) = predict([node(name, [x], (3,))], {x: fed})
        np.testing.assert_allclose(got, [scalar(v) for v in fed.tolist()], rtol=2.0**-11, err_msg=name)


def test_abs_does_not_overflow_where_the_root_of_the_square_would():
    x = variable("x", (2,))
    (got,) = predict([node("Abs", [x], (2,))], {x: np.array([-60000, 0.0001], np.float32)})
    np.testing.assert_allclose(got, [60000, 0.0001], rtol=2.0**-11)


@pytest.mark.parametrize(("mode", "want"), [("PROD", [-6.0, 4.0]), ("SUM", [1.0, -4.0]), ("MAXIMUM", [3.0, -2.0])])
def test_eltwise(mode, want):
    x, y = variable("x", (2,)), variable("y", (2,))
    feeds = {x: np.array([3, -2], np.float32), y: np.array([-2, -2], np.float32)}
    (got,) = predict([node("Eltwise", [x, y], (2,), mode=mode)], feeds)
    assert got.tolist() == want


@pytest.mark.parametrize(
    ("op_type", "want"),
    [
        ("AddFusion", [1.0, -4.0]),
        ("SubFusion", [5.0, 0.0]),
        ("MulFusion", [-6.0, 4.0]),
        ("DivFusion", [-1.5, 1.0]),
        ("Maximum", [3.0, -2.0]),
        ("Minimum", [-2.0, -2.0]),
    ],
)
def test_arithmetic(op_type, want):
    x, y = variable("x", (2,)), variable("y", (1, 2))
    feeds = {x: np.array([3, -2], np.float32), y: np.array([[-2, -2]], np.float32)}
    (got,) = predict([node(op_type, [x, y], (1, 2))], feeds)
    assert got.tolist() == [want]


@pytest.mark.parametrize(("mode", "want"), [(ReduceMode.ReduceMean, [2.0, 5.0]), (ReduceMode.ReduceSum, [6.0, 15.0])])
def test_reduce(mode, want):
    x, fed = variable("x", (2, 3)), np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    (got,) = predict([node("ReduceFusion", [x, const("axis", np.int32(1))], (2,), mode=mode)], {x: fed})
    assert got.tolist() == want
    (whole,) = predict([node("ReduceFusion", [x], (1, 1), mode=mode, keep_dims=True)], {x: fed})
    assert whole.tolist() == [[sum(want) / (2 if mode == ReduceMode.ReduceMean else 1)]]


@pytest.mark.parametrize(
    ("given", "x_shape", "axes"),
    [
        ((), (2, 3, 4), (2, 1, 0)),
        ((0, 3, 1, 2), (2, 3, 4), (0, 2, 1)),
        ((1, 0), (2, 3, 4), (0, 1, 2)),
        ((1, 0), (2, 3), (1, 0)),
    ],
)
def test_transpose_of_other_ranks(given, x_shape, axes):
    x, fed = variable("x", x_shape), small_ints(x_shape, 9)
    shape = [x_shape[a] for a in axes]
    (got,) = predict([node("Transpose", [x, ints(*given)], shape)], {x: fed})
    np.testing.assert_array_equal(got, np.einsum(fed, list(range(len(axes))), list(axes)))


@pytest.mark.parametrize(
    ("op_type", "more", "attributes", "shape"),
    [
        ("Reshape", [ints(3, -1)], {}, (3, 4)),
        ("Flatten", [], {"axis": 0}, (1, 12)),
        ("Flatten", [], {"axis": 3}, (6, 2)),
        ("Squeeze", [], {"axis": (1,)}, (2, 3, 2)),
        ("Squeeze", [ints(1)], {}, (2, 3, 2)),
        ("ExpandDims", [const("axis", np.int32(0))], {}, (1, 2, 1, 6)),
        ("Unsqueeze", [], {"axis": (0,)}, (1, 2, 1, 6)),
    ],
)
def test_views(op_type, more, attributes, shape):
    x_shape = (2, 1, 6) if op_type in ("ExpandDims", "Unsqueeze") else (2, 1, 3, 2)
    x, fed = variable("x", x_shape), small_ints(x_shape, 10)
    (got,) = predict([node(op_type, [x, *more], shape, **attributes)], {x: fed})
    np.testing.assert_array_equal(got, fed.reshape(shape))
    assert not np.shares_memory(got, fed)


def test_reshape_of_integers_is_exact():
    x, fed = variable("x", (2, 2), DataType.INT32), np.array([[2**31 - 1, -7], [65505, 0]], np.int32)
    (got,) = predict([node("Reshape", [x, ints(4)], (4,), DataType.INT32)], {x: fed})
    assert got.dtype == np.int32
    assert got.tolist() == fed.ravel().tolist()


def test_tensors_of_float16_cross_as_they_are():
    x, y = variable("x", (2,), F16), variable("y", (2,))
    feeds: dict[Tensor, Array] = {x: np.array([0.1, 3], np.float16), y: np.array([0.5, 1], np.float32)}
    (got,) = predict([node("AddFusion", [x, y], (2,), F16)], feeds)
    assert got.dtype == np.float16
    assert got.tolist() == [float(np.float16(np.float32(np.float16(0.1)) + np.float32(0.5))), 4.0]


@pytest.mark.parametrize("dtype", [F16, DataType.FLOAT32])
def test_scalars(dtype):
    x = variable("x", (), dtype)
    fed = np.array(3, np.float16 if dtype is F16 else np.float32)
    add = node("AddFusion", [x, const("c", np.array(1, fed.dtype))], (), dtype)
    (got,) = predict([add], {x: fed})
    assert (got.shape, got.item(), got.dtype) == ((), 4.0, fed.dtype)


@pytest.mark.parametrize(
    ("source", "target", "given", "want"),
    [
        (DataType.INT32, DataType.FLOAT32, [-3, 2049, 65504], [-3, 2048, 65504]),
        (DataType.INT32, DataType.BOOL, [-3, 0, 2**31 - 1], [True, False, True]),
        (DataType.BOOL, DataType.INT32, [True, False, True], [1, 0, 1]),
        (DataType.BOOL, F16, [True, False, True], [1.0, 0.0, 1.0]),
        (DataType.FLOAT32, F16, [0.5, -np.inf, 1e6], [0.5, -np.inf, np.inf]),
        (F16, DataType.FLOAT32, [0.5, -np.inf, 65504], [0.5, -np.inf, 65504]),
        (DataType.INT32, DataType.INT32, [7, 8, 2**31 - 1], [7, 8, 2**31 - 1]),
        (F16, DataType.INT32, [1.9, -1.9, 65504], [1, -1, 65504]),
        (F16, DataType.BOOL, [0.0, 2.0**-24, np.nan], [False, True, True]),
        (DataType.INT8, DataType.INT32, [-128, 0, 127], [-128, 0, 127]),
        (DataType.INT32, DataType.INT8, [127, 128, 300], [127, -128, 44]),
        (DataType.UINT8, DataType.FLOAT32, [0, 200, 255], [0, 200, 255]),
    ],
    ids=str,
)
def test_cast(source, target, given, want):
    x = variable("x", (3,), source)
    (got,) = predict([node("Cast", [x, ints(target)], (3,), target)], {x: np.array(given, to_numpy(source))})
    assert got.dtype == to_numpy(target)
    assert got.tolist() == want


def test_cast_after_a_convolution_keeps_its_layout():
    x = variable("x", (1, 2, 3, 2))
    fed, weight = small_ints((1, 2, 3, 2), 1), small_ints((2, 1, 1, 2), 2)
    conv = node("Conv2DFusion", [x, const("w", weight)], (1, 2, 3, 2), group=1)
    half = node("Cast", [conv.outputs[0], ints(F16)], (1, 2, 3, 2), F16)
    back = node("AddFusion", [half.outputs[0], const("one", np.float16(1))], (1, 2, 3, 2), F16)
    (got,) = predict([conv, half, back], {x: fed})
    np.testing.assert_array_equal(got, fed @ weight[:, 0, 0].T + 1)
