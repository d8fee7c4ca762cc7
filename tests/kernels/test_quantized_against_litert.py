"""Quantized kernels against LiteRT's plain C++ kernels, bit for bit, or within one quantum where that is said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ALL_KERNELS, ALL_QUANTIZED_KERNELS, KernelRegistry, NodeQuantization, Quantization

pytest.importorskip("ai_edge_litert")

from ai_edge_litert import schema_py_generated as schema

from tests.kernels.tflite_models import Operand, run_litert

REGISTRY = KernelRegistry(ALL_KERNELS, ALL_QUANTIZED_KERNELS)
FUSED = {"NO_ACTIVATION": 0, "RELU": 1, "RELU6": 3}
SAME, VALID = 0, 1


def single(value: float) -> float:
    """What a TensorFlow Lite file holds of a scale."""
    return float(np.float32(value))


def options(name: str, **values: Any) -> tuple[str, Any]:
    made = getattr(schema, f"{name}T")()
    for key, value in values.items():
        setattr(made, key, value)
    return name, made


def operand(data: np.ndarray, scale: float = 0.05, zero_point: int = 0, *, constant: bool = False) -> Operand:
    return Operand(data, [single(scale)], [zero_point], is_constant=constant)


def per_channel(data: np.ndarray, scales: Sequence[float], axis: int) -> Operand:
    return Operand(data, [single(s) for s in scales], [0] * len(scales), axis, True)


def bias_of(data: np.ndarray, x: Operand, weight: Operand) -> Operand:
    scales = [single(x.scales[0] * s) for s in weight.scales]
    return Operand(data, scales, [0] * len(scales), 0, True)


def ours(op: str, inputs: Sequence[Operand], output: Operand, **attributes: Any) -> np.ndarray:
    def known(o: Operand) -> Quantization | None:
        return Quantization(tuple(o.scales), tuple(o.zero_points)) if o.scales else None

    quantization = NodeQuantization(tuple(map(known, inputs)), (known(output),))
    kernel = REGISTRY.find(op, quantized=True)
    assert kernel is not None
    result = kernel.run(*(o.data for o in inputs), quantization=quantization, **attributes)
    return np.asarray(result[0] if isinstance(result, tuple) else result)


def assert_equal(got: np.ndarray, want: np.ndarray, quanta: int = 0) -> None:
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    assert len(np.unique(want)) > 1, "the expected values say nothing"
    assert np.abs(got.astype(np.int64) - want.astype(np.int64)).max() <= quanta


def integers(seed: int, shape: tuple[int, ...], low: int = -128, high: int = 127) -> np.ndarray:
    return np.random.default_rng(seed).integers(low, high, shape, np.int8, endpoint=True)


def biases(seed: int, count: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-4000, 4000, count, np.int32)


@pytest.mark.parametrize("activation", FUSED)
@pytest.mark.parametrize("channels", [1, 4])
@pytest.mark.parametrize(
    ("padding", "stride", "dilation"), [(SAME, (2, 1), (1, 1)), (VALID, (1, 3), (1, 1)), (SAME, (1, 1), (2, 2))]
)
def test_convolution(
    activation: str, channels: int, padding: int, stride: tuple[int, int], dilation: tuple[int, int]
) -> None:
    x = operand(integers(1, (2, 9, 8, 5)), 0.04, -7)
    weight = per_channel(integers(2, (4, 3, 3, 5), -127), np.linspace(0.001, 0.02, channels).tolist(), 0)
    bias = bias_of(biases(3, 4), x, weight)
    out = {VALID: (7, 2), SAME: (9 // stride[0] + 9 % stride[0], 8)}[padding]
    y = operand(np.zeros((2, *out, 4), np.int8), 0.06, -11)
    h, w = stride
    kind = options(
        "Conv2DOptions",
        padding=padding,
        strideH=h,
        strideW=w,
        dilationHFactor=dilation[0],
        dilationWFactor=dilation[1],
        fusedActivationFunction=FUSED[activation],
    )
    want = run_litert("CONV_2D", *kind, [x, weight, bias], y)
    attributes = {"stride": stride, "dilation": dilation, "pad_mode": ("SAME", "VALID")[padding], "group": 1}
    assert_equal(ours("Conv2DFusion", [x, weight, bias], y, activation_type=activation, **attributes), want)


@pytest.mark.parametrize("multiplier", [1, 2])
@pytest.mark.parametrize("stride", [1, 2])
def test_depthwise_convolution(multiplier: int, stride: int) -> None:
    count = 3 * multiplier
    x = operand(integers(4, (1, 6, 6, 3)), 0.03, 5)
    kernels = integers(5, (1, 3, 3, count), -127)
    scales = np.linspace(0.002, 0.03, count).tolist()
    weight, rows = per_channel(kernels, scales, 3), per_channel(kernels.transpose(3, 1, 2, 0), scales, 0)
    bias = bias_of(biases(6, count), x, weight)
    y = operand(np.zeros((1, 6 // stride, 6 // stride, count), np.int8), 0.05, 3)
    kind = options(
        "DepthwiseConv2DOptions",
        padding=SAME,
        strideH=stride,
        strideW=stride,
        depthMultiplier=multiplier,
        dilationHFactor=1,
        dilationWFactor=1,
    )
    want = run_litert("DEPTHWISE_CONV_2D", *kind, [x, weight, bias], y)
    attributes = {"stride": (stride, stride), "pad_mode": "SAME", "group": 3, "activation_type": "NO_ACTIVATION"}
    assert_equal(ours("Conv2DFusion", [x, rows, bias], y, **attributes), want)


def test_a_large_factor_shifts_to_the_left() -> None:
    x, y = operand(integers(7, (1, 4, 4, 2), -3, 3), 2.0, 1), operand(np.zeros((1, 4, 4, 2), np.int8), 0.25, 0)
    weight = per_channel(integers(8, (2, 1, 1, 2), -2, 2), [1.0, 0.7], 0)
    bias = bias_of(np.array([3, -2], np.int32), x, weight)
    kind = options("Conv2DOptions", padding=VALID, strideH=1, strideW=1, dilationHFactor=1, dilationWFactor=1)
    want = run_litert("CONV_2D", *kind, [x, weight, bias], y)
    attributes = {"pad_mode": "VALID", "group": 1, "activation_type": "NO_ACTIVATION"}
    assert_equal(ours("Conv2DFusion", [x, weight, bias], y, **attributes), want)


@pytest.mark.parametrize("padding", [SAME, VALID])
@pytest.mark.parametrize("channels", [1, 3])
def test_transposed_convolution(padding: int, channels: int) -> None:
    size = 8 if padding == SAME else 9
    shape = Operand(np.array([1, size, size, 3], np.int32), is_constant=True)
    x = operand(integers(9, (1, 4, 4, 5)), 0.05, 2)
    kernels, scales = integers(10, (3, 3, 3, 5), -127), np.linspace(0.004, 0.02, channels).tolist()
    weight, ours_weight = per_channel(kernels, scales, 0), per_channel(kernels.transpose(3, 1, 2, 0), scales, 3)
    bias = bias_of(biases(11, 3), x, weight)
    y = operand(np.zeros((1, size, size, 3), np.int8), 0.1, -4)
    kind = options("TransposeConvOptions", padding=padding, strideH=2, strideW=2)
    want = run_litert("TRANSPOSE_CONV", *kind, [shape, weight, x, bias], y)
    attributes = {"stride": (2, 2), "pad_mode": ("SAME", "VALID")[padding], "group": 1}
    got = ours("Conv2dTransposeFusion", [x, ours_weight, bias], y, activation_type="NO_ACTIVATION", **attributes)
    assert_equal(got, want)


@pytest.mark.parametrize("activation", FUSED)
def test_full_connection(activation: str) -> None:
    x, weight = operand(integers(12, (3, 600)), 0.02, 9), operand(integers(13, (7, 600), -127), 0.004, constant=True)
    bias, y = bias_of(biases(14, 7), x, weight), operand(np.zeros((3, 7), np.int8), 0.11, -3)
    kind = options("FullyConnectedOptions", fusedActivationFunction=FUSED[activation])
    want = run_litert("FULLY_CONNECTED", *kind, [x, weight, bias], y)
    assert_equal(ours("FullConnection", [x, weight, bias], y, has_bias=True, activation_type=activation), want)


@pytest.mark.parametrize("flip", [False, True])
def test_matrix_product_of_two_activations(flip: bool) -> None:
    a = operand(integers(15, (2, 4, 6)), 0.03, -5)
    b = operand(integers(16, (2, 5, 6) if flip else (2, 6, 5)), 0.05, 0)
    y = operand(np.zeros((2, 4, 5), np.int8), 0.2, 8)
    want = run_litert("BATCH_MATMUL", *options("BatchMatMulOptions", adjY=flip), [a, b], y)
    got = ours("MatMulFusion", [a, b], y, transpose_b=flip, transpose_a=False, activation_type="NO_ACTIVATION")
    assert_equal(got, want)


@pytest.mark.parametrize("activation", FUSED)
@pytest.mark.parametrize("shape", [(2, 3, 4), (4,), ()])
@pytest.mark.parametrize(
    ("builtin", "op", "name"),
    [("ADD", "AddFusion", "AddOptions"), ("SUB", "SubFusion", "SubOptions"), ("MUL", "MulFusion", "MulOptions")],
)
def test_arithmetic(activation: str, shape: tuple[int, ...], builtin: str, op: str, name: str) -> None:
    a, b = operand(integers(17, (2, 3, 4)), 0.037, -12), operand(integers(18, shape), 0.013, 31)
    y = operand(np.zeros((2, 3, 4), np.int8), 0.06, -20)
    want = run_litert(builtin, *options(name, fusedActivationFunction=FUSED[activation]), [a, b], y)
    assert_equal(ours(op, [a, b], y, activation_type=activation), want)


@pytest.mark.parametrize(
    ("builtin", "op", "name"),
    [("ADD", "AddFusion", "AddOptions"), ("SUB", "SubFusion", "SubOptions"), ("MUL", "MulFusion", "MulOptions")],
)
@pytest.mark.parametrize("scales", [(0.037, 0.013, 0.02), (0.5, 0.0007, 0.3), (0.02, 0.02, 0.7)])
def test_arithmetic_of_all_pairs(builtin: str, op: str, name: str, scales: tuple[float, float, float]) -> None:
    every = np.arange(-128, 128).astype(np.int8)
    a, b = operand(every.reshape(256, 1), scales[0], -12), operand(every.reshape(1, 256), scales[1], 31)
    y = operand(np.zeros((256, 256), np.int8), scales[2], -20)
    want = run_litert(builtin, *options(name), [a, b], y)
    assert_equal(ours(op, [a, b], y, activation_type="NO_ACTIVATION"), want)


@pytest.mark.parametrize("activation", FUSED)
@pytest.mark.parametrize("padding", [SAME, VALID])
@pytest.mark.parametrize(("builtin", "op"), [("AVERAGE_POOL_2D", "AvgPoolFusion"), ("MAX_POOL_2D", "MaxPoolFusion")])
def test_pooling(activation: str, padding: int, builtin: str, op: str) -> None:
    x = operand(integers(19, (2, 7, 6, 5)), 0.04, -9)
    y = operand(np.zeros((2, 4, 6, 5) if padding == SAME else (2, 3, 4, 5), np.int8), 0.04, -9)
    kind = options(
        "Pool2DOptions",
        padding=padding,
        strideH=2,
        strideW=1,
        filterHeight=3,
        filterWidth=3,
        fusedActivationFunction=FUSED[activation],
    )
    want = run_litert(builtin, *kind, [x], y)
    attributes = {"kernel_size": (3, 3), "strides": (2, 1), "pad_mode": ("SAME", "VALID")[padding]}
    assert_equal(ours(op, [x], y, activation_type=activation, **attributes), want)


UNARY: list[tuple[str, tuple[str, Any], str, dict[str, Any], float, int, int]] = [
    ("LOGISTIC", ("NONE", None), "Activation", {"activation_type": "SIGMOID"}, 1 / 256, -128, 1),
    ("TANH", ("NONE", None), "Activation", {"activation_type": "TANH"}, 1 / 128, 0, 1),
    ("RELU", ("NONE", None), "Activation", {"activation_type": "RELU"}, 0.07, -20, 1),
    ("RELU6", ("NONE", None), "Activation", {"activation_type": "RELU6"}, 0.03, -128, 1),
    ("LEAKY_RELU", options("LeakyReluOptions", alpha=0.3), "LeakyRelu", {"negative_slope": 0.3}, 0.05, 3, 1),
    ("HARD_SWISH", options("HardSwishOptions"), "Activation", {"activation_type": "HSWISH"}, 0.05, -10, 1),
    ("SOFTMAX", options("SoftmaxOptions", beta=1.0), "Softmax", {"axis": (-1,)}, 1 / 256, -128, 1),
    ("LOG_SOFTMAX", options("LogSoftmaxOptions"), "LogSoftmax", {"axis": -1}, 16 / 256, 127, 1),
    ("L2_NORMALIZATION", options("L2NormOptions"), "L2NormalizeFusion", {"axis": (-1,)}, 1 / 128, 0, 1),
]


@pytest.mark.parametrize(
    ("builtin", "kind", "op", "attributes", "scale", "zero_point", "quanta"), UNARY, ids=[u[0] for u in UNARY]
)
def test_functions_of_one_input(
    builtin: str,
    kind: tuple[str, Any],
    op: str,
    attributes: dict[str, Any],
    scale: float,
    zero_point: int,
    quanta: int,
) -> None:
    x = operand(integers(20, (4, 64)), 0.05, 7)
    y = operand(np.zeros((4, 64), np.int8), scale, zero_point)
    assert_equal(ours(op, [x], y, **attributes), run_litert(builtin, *kind, [x], y), quanta)


@pytest.mark.parametrize("keep", [False, True])
def test_mean(keep: bool) -> None:
    x, axes = operand(integers(21, (2, 5, 4, 3)), 0.05, 7), Operand(np.array([1, 2], np.int32), is_constant=True)
    y = operand(np.zeros((2, 1, 1, 3) if keep else (2, 3), np.int8), 0.02, -3)
    want = run_litert("MEAN", *options("ReducerOptions", keepDims=keep), [x, axes], y)
    assert_equal(ours("ReduceFusion", [x, axes], y, mode="ReduceMean", keep_dims=keep), want, 1)


def test_concatenation_of_other_parameters() -> None:
    a, b = operand(integers(22, (2, 3)), 0.05, 7), operand(integers(23, (2, 4)), 0.02, -30)
    y = operand(np.zeros((2, 7), np.int8), 0.06, 4)
    same = [Operand(o.data, y.scales, y.zero_points) for o in (a, b)]
    kind = options("ConcatenationOptions", axis=1)
    assert_equal(ours("Concat", same, y, axis=1), run_litert("CONCATENATION", *kind, same, y))
    parts = [
        run_litert("QUANTIZE", *options("QuantizeOptions"), [o], Operand(o.data, y.scales, y.zero_points))
        for o in (a, b)
    ]
    assert_equal(ours("Concat", [a, b], y, axis=1), np.concatenate(parts, 1), 1)


@pytest.mark.parametrize("mode", ["LINEAR", "NEAREST"])
def test_resize(mode: str) -> None:
    x, size = operand(integers(24, (1, 4, 5, 3)), 0.05, 7), Operand(np.array([7, 9], np.int32), is_constant=True)
    y = operand(np.zeros((1, 7, 9, 3), np.int8), 0.05, 7)
    name = {"LINEAR": "ResizeBilinearOptions", "NEAREST": "ResizeNearestNeighborOptions"}[mode]
    builtin = {"LINEAR": "RESIZE_BILINEAR", "NEAREST": "RESIZE_NEAREST_NEIGHBOR"}[mode]
    want = run_litert(builtin, *options(name), [x, size], y)
    assert_equal(ours("Resize", [x, size], y, method=mode), want, 1 if mode == "LINEAR" else 0)


def test_padding_is_the_zero_point() -> None:
    x, pads = operand(integers(25, (2, 3)), 0.05, 7), Operand(np.array([[1, 0], [0, 2]], np.int32), is_constant=True)
    y = operand(np.zeros((3, 5), np.int8), 0.05, 7)
    want = run_litert("PAD", *options("PadOptions"), [x, pads], y)
    assert_equal(ours("PadFusion", [x, pads], y), want)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_quantizing_and_back(dtype: str) -> None:
    real = (np.random.default_rng(26).normal(size=(5, 40)) * 5).astype(np.float32)
    q = operand(np.zeros(real.shape, dtype), 0.05, 100 if dtype == "uint8" else -7)
    ids = {"float32": 43, "int8": 32, "uint8": 37}
    want = run_litert("QUANTIZE", *options("QuantizeOptions"), [Operand(real)], q)
    assert_equal(ours("QuantDTypeCast", [Operand(real)], q, src_t=43, dst_t=ids[dtype]), want)
    back = Operand(want, q.scales, q.zero_points)
    floats = run_litert("DEQUANTIZE", *options("DequantizeOptions"), [back], Operand(real))
    np.testing.assert_array_equal(ours("QuantDTypeCast", [back], Operand(real), src_t=ids[dtype], dst_t=43), floats)


@pytest.mark.parametrize(("builtin", "op"), [("LESS", "Less"), ("EQUAL", "Equal"), ("GREATER_EQUAL", "GreaterEqual")])
def test_comparison_of_what_integers_stand_for(builtin: str, op: str) -> None:
    a, b = operand(integers(27, (200,)), 0.05, 7), operand(integers(28, (200,)), 0.05, 7)
    want = run_litert(builtin, *options("LessOptions"), [a, b], Operand(np.zeros(200, np.bool_)))
    assert_equal(ours(op, [a, b], Operand(want)), want)
