"""Operators that reduce, select, normalize, spread and detect, alone on the device, against loops."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from lite_delegate.ir import DataType, make_primitive, to_numpy
from lite_delegate.npu.device.instructions.detection import Detect
from tests.npu import loops
from tests.npu.graphs import HostKernel, const, half, ints, node, predict, small_ints, variable

BOOL, I32, F32 = DataType.BOOL, DataType.INT32, DataType.FLOAT32
LEAST, MOST = -(2**31), 2**31 - 1


def several(op_type, inputs, outputs, **attributes):
    """A kernel with outputs of these (shape, dtype)."""
    results = [variable(f"{op_type}:{i}", shape, dtype) for i, (shape, dtype) in enumerate(outputs)]
    return HostKernel(op_type, op_type, inputs, results, make_primitive(op_type, **attributes))


@pytest.mark.parametrize("mode", ["ReduceMax", "ReduceMin", "ReduceProd", "ReduceSumSquare", "ReduceASum", "ReduceL2"])
@pytest.mark.parametrize(("axes", "keep"), [((1,), True), ((0, 2), False), ((), False)])
def test_reduce(mode, axes, keep):
    scalars: dict[str, Callable[[list[float]], float]] = {
        "ReduceMax": max,
        "ReduceMin": min,
        "ReduceProd": math.prod,
        "ReduceSumSquare": lambda values: sum(v * v for v in values),
        "ReduceASum": lambda values: sum(map(abs, values)),
        "ReduceL2": lambda values: math.sqrt(sum(v * v for v in values)),
    }
    x, fed = variable("x", (2, 3, 2)), np.arange(-5, 7, dtype=np.float32).reshape(2, 3, 2) / 4
    over = axes or (0, 1, 2)
    want = np.zeros([1 if a in over else size for a, size in enumerate(fed.shape)])
    for index in np.ndindex(want.shape):
        picked = tuple(slice(None) if a in over else i for a, i in enumerate(index))
        want[index] = scalars[mode](fed[picked].ravel().tolist())
    want = want if keep else want.squeeze(over)
    (got,) = predict([node("ReduceFusion", [x, ints(*axes)], want.shape, mode=mode, keep_dims=keep)], {x: fed})
    np.testing.assert_allclose(got, want, rtol=2.0**-11)


@pytest.mark.parametrize(("coeff", "factor"), [(0.0, 1.0), (1e-5, 1.0), (0.5, 0.5), (-2.0, -2.0)])
@pytest.mark.parametrize("keep", [True, False])
def test_reduce_to_end(coeff, factor, keep):
    x, fed = variable("x", (2, 3, 2)), small_ints((2, 3, 2), 3)
    attributes = {"mode": "ReduceSum", "reduce_to_end": True, "coeff": coeff, "keep_dims": keep}
    (got,) = predict([node("ReduceFusion", [x, ints(-2)], (2,), **attributes)], {x: fed})
    assert got.tolist() == [factor * sum(part.ravel().tolist()) for part in fed]


def test_reduce_of_integers_and_truth():
    x, fed = variable("x", (2, 2), I32), np.array([[MOST, 1], [-3, 0]], np.int32)
    (got,) = predict([node("ReduceFusion", [x, ints(1)], (2,), I32, mode="ReduceSum")], {x: fed})
    assert got.tolist() == [LEAST, -3]
    (got,) = predict([node("ReduceFusion", [x, ints(1)], (2,), I32)], {x: fed})
    assert got.tolist() == [LEAST // 2, -1]
    x, fed = variable("x", (2, 2), BOOL), np.array([[True, True], [False, True]])
    (got,) = predict([node("ReduceFusion", [x, ints(0)], (1, 2), BOOL, mode="ReduceAll", keep_dims=True)], {x: fed})
    assert (got.dtype, got.tolist()) == (np.bool_, [[False, True]])


@pytest.mark.parametrize("dtype", [F32, I32])
def test_reduce_of_a_scalar(dtype):
    x, fed = variable("x", (), dtype), np.array(-3, to_numpy(dtype))
    (got,) = predict([node("ReduceFusion", [x], (), dtype, mode="ReduceSumSquare")], {x: fed})
    assert (got.shape, got.item()) == ((), 9)


@pytest.mark.parametrize("dtype", [F32, I32])
def test_largest(dtype):
    x, fed = variable("x", (2, 4), dtype), np.array([[3, 9, 9, -1], [5, 5, 5, 8]], to_numpy(dtype))
    for outputs, attributes, want in (
        ([((2,), I32)], {"axis": 1}, [[1, 3]]),
        ([((2, 1), I32)], {"axis": -1, "keep_dims": True}, [[[1], [3]]]),
        ([((2, 3), I32)], {"axis": 1, "top_k": 3}, [[[1, 2, 0], [3, 0, 1]]]),
        ([((4,), I32)], {"axis": 0}, [[1, 0, 0, 1]]),
        ([((4,), dtype)], {"axis": 0, "out_max_value": True}, [[5, 9, 9, 8]]),
        ([((4,), I32), ((4,), dtype)], {}, [[1, 0, 0, 1], [5, 9, 9, 8]]),
        ([((2, 4), I32), ((2, 4), dtype)], {"top_k": 2}, [[[1, 0, 0, 1], [0, 1, 1, 0]], [[5, 9, 9, 8], [3, 5, 5, -1]]]),
    ):
        kernel = several("ArgMaxFusion", [x], outputs, **attributes)
        got = predict([kernel], {x: fed}, *kernel.outputs)
        assert [y.tolist() for y in got] == want
        assert [y.dtype for y in got] == [to_numpy(kind) for _, kind in outputs]


def nhwc(x):
    return x.transpose(0, 2, 3, 1)


@pytest.mark.parametrize(
    ("attributes", "shape", "loop"),
    [
        ({}, (2, 6, 7, 4), {}),
        ({"stride": (2, 3), "pad_list": (1, 0, 2, 1)}, (2, 8, 12, 4), {"strides": (2, 3), "before": (1, 2)}),
        ({"stride": (2, 2), "pad_list": (1, 1)}, (2, 9, 11, 4), {"strides": (2, 2)}),
        ({"stride": (2, 2), "output_paddings": (1, 2)}, (2, 10, 13, 4), {"strides": (2, 2)}),
        ({"dilation": (2, 1), "pad_mode": "VALID", "pad_list": (9, 9, 9, 9)}, (2, 6, 7, 4), {"dilations": (2, 1)}),
        # 9 rows and 5 columns are reached: one row and no column are cut off before, and one after
        ({"stride": (2, 1), "pad_mode": "SAME"}, (2, 8, 5, 4), {"strides": (2, 1), "before": (0, 1)}),
        # the kernel reaches less than a stride: 21 of 24 rows; a row is added before, halves are dropped, and two after
        ({"stride": (6, 1), "pad_mode": "SAME"}, (2, 24, 5, 4), {"strides": (6, 1), "before": (-1, 1)}),
    ],
    ids=str,
)
@pytest.mark.parametrize("group", [1, 2, 0])
def test_transposed_convolution(attributes, shape, loop, group):
    groups = group or 2
    x, fed = variable("x", (2, 4, 5, 2)), small_ints((2, 4, 5, 2), 1)
    weight, bias = small_ints((2, 3, 3, 4 // groups), 2), np.array([1, -2, 3, 0], np.float32)
    inputs = [x, const("w", weight), const("b", bias)]
    spread = node("Conv2dTransposeFusion", inputs, shape, group=group, activation_type="RELU", **attributes)
    want = loops.transposed_convolution(fed.transpose(0, 3, 1, 2), weight, shape[1:3], **loop, group=groups)
    (got,) = predict([spread], {x: fed})
    np.testing.assert_array_equal(got, np.maximum(nhwc(want) + bias, 0))


def moments(values):
    mean = math.fsum(values) / len(values)
    return mean, math.fsum((v - mean) ** 2 for v in values) / len(values)


@pytest.mark.parametrize("shape", [(2, 3, 4, 2), (2, 5, 2)])
def test_instance_norm(shape):
    x, fed = variable("x", shape), half(shape, 1).astype(np.float32)
    gamma, beta = np.array([2, -1], np.float32), np.array([0.5, 3], np.float32)
    (got,) = predict([node("InstanceNorm", [x, const("g", gamma), const("b", beta)], shape, epsilon=0.25)], {x: fed})
    for n, c in np.ndindex(2, 2):
        mean, variance = moments(fed[n, ..., c].ravel().tolist())
        want = (fed[n, ..., c] - mean) / math.sqrt(variance + 0.25) * gamma[c] + beta[c]
        np.testing.assert_allclose(got[n, ..., c], want, rtol=2.0**-10, atol=2.0**-16)


@pytest.mark.parametrize(("begin", "params"), [(-1, -1), (1, 2), (0, 0), (2, 1)])
def test_layer_norm(begin, params):
    shape = (2, 3, 4)
    x, fed = variable("x", shape), half(shape, 1).astype(np.float32)
    gamma, beta = half(shape[params:], 2).astype(np.float32), half(shape[params:], 3).astype(np.float32)
    groups = shape[:begin]
    kernel = several(
        "LayerNormFusion",
        [x, const("g", gamma), const("b", beta)],
        [(shape, F32), (groups, F32), (groups, F32)],
        begin_norm_axis=begin,
        begin_params_axis=params,
        epsilon=0.25,
    )
    y, means, variances = predict([kernel], {x: fed}, *kernel.outputs)
    plain = node("LayerNormFusion", [x], shape, begin_norm_axis=begin, epsilon=0.25)
    (alone,) = predict([plain], {x: fed})
    for index in np.ndindex(groups):
        mean, variance = moments(fed[index].ravel().tolist())
        np.testing.assert_allclose([means[index], variances[index]], [mean, variance], rtol=2.0**-10, atol=2.0**-20)
        want = (fed[index] - mean) / math.sqrt(variance + 0.25)
        np.testing.assert_allclose(alone[index], want, rtol=2.0**-10, atol=2.0**-16)
        scale, shift = (np.broadcast_to(p, shape)[index] for p in (gamma, beta))
        np.testing.assert_allclose(y[index], want * scale + shift, rtol=2.0**-9, atol=2.0**-13)


@pytest.mark.parametrize(
    ("attributes", "want"),
    [
        ({"axis": (1,)}, [[0.6, -0.8], [0, 0]]),
        ({"axis": (-1,), "activation_type": "RELU"}, [[0.6, 0], [0, 0]]),
        ({"axis": (-1,), "activation_type": "TANH"}, [[0.6, -0.8], [0, 0]]),
        ({"axis": (1,), "epsilon": 100.0}, [[0.3, -0.4], [0, 0]]),
        ({"axis": (0,)}, [[1, -1], [0, 0]]),
        ({}, [[0.6, -0.8], [0, 0]]),
    ],
    ids=str,
)
def test_l2_normalize(attributes, want):
    x, fed = variable("x", (2, 2)), np.array([[3, -4], [0, 0]], np.float32)
    (got,) = predict([node("L2NormalizeFusion", [x], (2, 2), **attributes)], {x: fed})
    np.testing.assert_allclose(got, want, rtol=2.0**-11)


@pytest.mark.parametrize(("epsilon", "least"), [(0.0, 1e-6), (1e-9, 1e-9), (1e-12, 2.0**-32), (1e-3, 1e-3)])
def test_l2_normalize_has_the_epsilon_of_the_file_or_a_millionth(epsilon, least):
    x, fed = variable("x", (1,)), np.array([2.0**-16], np.float32)
    (got,) = predict([node("L2NormalizeFusion", [x], (1,), epsilon=epsilon)], {x: fed})
    np.testing.assert_allclose(got, 2.0**-16 / math.sqrt(least), rtol=2.0**-10)


def test_lrn_is_across_the_last_axis():
    x, fed = variable("x", (1, 2, 1, 3)), np.array([[[[1, 2, 3]], [[0, -2, 4]]]], np.float32)
    (got,) = predict([node("LRN", [x], x.shape, depth_radius=1, bias=1.0, alpha=0.5, beta=0.5)], {x: fed})
    for row, result in zip(fed.reshape(2, 3).tolist(), got.reshape(2, 3).tolist(), strict=True):
        sums = [row[0] ** 2 + row[1] ** 2, sum(v * v for v in row), row[1] ** 2 + row[2] ** 2]
        want = [v / math.sqrt(1 + 0.5 * s) for v, s in zip(row, sums, strict=True)]
        np.testing.assert_allclose(result, want, rtol=2.0**-10)


@pytest.mark.parametrize("regular", [False, True])
def test_detections(regular):
    rng = np.random.default_rng(4)
    anchors = np.stack([*rng.integers(0, 8, (2, 30)) / 8, *rng.integers(2, 6, (2, 30)) / 8], axis=1).astype(np.float16)
    boxes, scores = half((1, 30, 4), 5), (rng.integers(0, 64, (1, 30, 4)) / 64).astype(np.float16)
    fed = [a.astype(np.float32) for a in (boxes, scores)]
    inputs = [
        variable("boxes", (1, 30, 4)),
        variable("scores", (1, 30, 4)),
        const("anchors", anchors.astype(np.float32)),
    ]
    shapes = [((1, 16, 4), F32), ((1, 16), F32), ((1, 16), F32), ((1,), F32)]
    attributes = {
        "scale": (5.0, 4.0, 10.0, 8.0),
        "nms_iou_threshold": 0.4,
        "nms_score_threshold": 0.5,
        "max_detections": 8,
        "max_classes_per_detection": 2,
        "detections_per_class": 4,
        "num_classes": 3,
    }
    kernel = several("DetectionPostProcess", inputs, shapes, use_regular_nms=regular, **attributes)
    got = predict([kernel], dict(zip(inputs[:2], fed, strict=True)), *kernel.outputs)
    wanted = Detect((5.0, 4.0, 10.0, 8.0), 0.4, 0.5, 8, 3, 1 if regular else 2, 4 if regular else 0, 16)
    rows = np.array(loops.detections([boxes, scores, anchors], wanted))
    assert 0 < len(rows) <= 16
    assert got[3].tolist() == [len(rows)]
    np.testing.assert_allclose(got[0][0, : len(rows)], rows[:, :4], rtol=2.0**-10, atol=2.0**-12)
    np.testing.assert_array_equal(got[1][0, : len(rows)], rows[:, 4])
    np.testing.assert_array_equal(got[2][0, : len(rows)], rows[:, 5])
    assert not any(part[0, len(rows) :].any() for part in got[:3])


@pytest.mark.parametrize(
    ("a", "b", "bias", "shape"),
    [
        ((3,), (3,), None, ()),
        ((3,), (3, 4), (4,), (1, 4)),
        ((2, 3), (3, 4), (1, 1, 4), (2, 4)),
        ((5, 2, 3), (3, 4), (4,), (5, 2, 4)),
        ((3,), (5, 3, 4), None, (5, 1, 4)),
    ],
)
def test_products_of_every_rank(a, b, bias, shape):
    feeds = {variable("a", a): small_ints(a, 1), variable("b", b): small_ints(b, 2)}
    inputs, (first, second) = list(feeds), feeds.values()
    want = np.matmul(first, second)
    if bias is not None:
        inputs.append(const("bias", small_ints(bias, 3)))
        want = want + small_ints(bias, 3).reshape(-1)
    (got,) = predict([node("MatMulFusion", inputs, shape, activation_type="RELU")], feeds)
    np.testing.assert_array_equal(got, np.maximum(want, 0).reshape(shape))


@pytest.mark.parametrize("op_type", ["MaxPoolFusion", "AvgPoolFusion", "FullConnection"])
def test_other_activations_are_left_out(op_type):
    x, fed = variable("x", (1, 1, 2, 1)), np.array([-3, 2], np.float32).reshape(1, 1, 2, 1)
    if op_type == "FullConnection":
        kernel = node(op_type, [x, const("w", np.ones((1, 2), np.float32))], (1, 1), activation_type="SIGMOID")
    else:
        kernel = node(op_type, [x], (1, 1, 1, 1), kernel_size=(1, 2), strides=(1, 1), activation_type="SIGMOID")
    want = {"MaxPoolFusion": 2.0, "AvgPoolFusion": -0.5, "FullConnection": -1.0}[op_type]
    assert predict([kernel], {x: fed})[0].item() == want
