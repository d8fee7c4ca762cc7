"""Convolutions, matrix products, pooling and resizing, imported and run, against LiteRT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from lite_delegate.formats.tflite import read_tflite_buffer
from lite_delegate.ir.types.enums import QuantType
from tests.formats.tflite.models import (
    T,
    assert_same,
    check,
    const,
    fed,
    floats,
    int8,
    ints,
    litert,
    ours,
    out,
    qout,
    single,
    stored,
)

SAME, VALID = 0, 1
ACTIVATIONS = {"NONE": 0, "RELU": 1, "RELU_N1_TO_1": 2, "RELU6": 3}


def conv(
    padding: int = SAME, stride: Sequence[int] = (1, 1), dilation: Sequence[int] = (1, 1), activation: int = 0
) -> dict[str, Any]:
    h, w = stride
    return {
        "padding": padding,
        "strideH": h,
        "strideW": w,
        "dilationHFactor": dilation[0],
        "dilationWFactor": dilation[1],
        "fusedActivationFunction": activation,
    }


def per_channel(data: np.ndarray, scales: Sequence[float], axis: int) -> T:
    return const(data, scales=scales, axis=axis)


def bias(seed: int, x: T, weight: T) -> T:
    scales = [x.scales[0] * np.float32(s) for s in weight.scales]
    count = weight.data.shape[weight.axis]
    data = np.random.default_rng(seed).integers(-4000, 4000, count).astype(np.int32)
    return const(data, scales=scales)


def kernels(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-127, 127, shape, np.int8, endpoint=True)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("padding", [SAME, VALID])
@pytest.mark.parametrize(("stride", "dilation"), [((1, 1), (1, 1)), ((2, 1), (1, 1)), ((1, 1), (2, 3))])
def test_convolution(activation: str, padding: int, stride: Sequence[int], dilation: Sequence[int]) -> None:
    inputs = [floats(1, 2, 9, 10, 3), stored(floats(2, 5, 3, 2, 3)), stored(floats(3, 5))]
    options = conv(padding, stride, dilation, ACTIVATIONS[activation])
    check("CONV_2D", inputs, table="Conv2DOptions", atol=1e-5, **options)


def test_convolution_with_computed_weights() -> None:
    inputs = [floats(1, 1, 5, 5, 2), floats(2, 3, 3, 3, 2), stored(floats(3, 3))]
    check("CONV_2D", inputs, table="Conv2DOptions", atol=1e-5, **conv())


def test_grouped_convolution() -> None:
    inputs = [floats(1, 1, 6, 6, 4), stored(floats(2, 6, 3, 3, 2)), stored(floats(3, 6))]
    check("CONV_2D", inputs, table="Conv2DOptions", atol=1e-5, **conv(VALID))


@pytest.mark.parametrize("multiplier", [1, 3])
@pytest.mark.parametrize(("padding", "stride", "dilation"), [(SAME, (2, 2), (1, 1)), (VALID, (1, 1), (2, 2))])
def test_depthwise_convolution(multiplier: int, padding: int, stride: Sequence[int], dilation: Sequence[int]) -> None:
    count = 4 * multiplier
    inputs = [floats(1, 2, 7, 8, 4), stored(floats(2, 1, 3, 3, count)), stored(floats(3, count))]
    options: dict[str, Any] = {**conv(padding, stride, dilation, 1), "depthMultiplier": multiplier}
    check("DEPTHWISE_CONV_2D", inputs, table="DepthwiseConv2DOptions", atol=1e-5, **options)


def test_depthwise_convolution_with_computed_weights() -> None:
    options: dict[str, Any] = {**conv(), "depthMultiplier": 1}
    inputs = [floats(1, 1, 5, 5, 2), floats(2, 1, 3, 3, 2), stored(floats(3, 2))]
    check("DEPTHWISE_CONV_2D", inputs, table="DepthwiseConv2DOptions", atol=1e-5, **options)


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_quantized_convolution_bit_for_bit(count: int, activation: str) -> None:
    x = int8(1, 2, 7, 8, 3, scale=0.04, zero_point=-7)
    weight = per_channel(kernels(2, 4, 3, 3, 3), np.linspace(0.002, 0.02, count).tolist(), 0)
    inputs = [
        x,
        weight,
        bias(3, x, weight) if count > 1 else const(np.arange(4, dtype=np.int32), scales=[0.04 * 0.002]),
    ]
    options = conv(SAME, (2, 1), (1, 1), ACTIVATIONS[activation])
    got = check("CONV_2D", inputs, [qout(0.06, -11)], "Conv2DOptions", version=3, **options)
    assert len(np.unique(got[0])) > 5


@pytest.mark.parametrize("multiplier", [1, 2])
def test_quantized_depthwise_convolution_bit_for_bit(multiplier: int) -> None:
    count = 3 * multiplier
    x = int8(4, 1, 6, 6, 3, scale=0.03, zero_point=5)
    weight = per_channel(kernels(5, 1, 3, 3, count), np.linspace(0.002, 0.03, count).tolist(), 3)
    options: dict[str, Any] = {**conv(), "depthMultiplier": multiplier}
    inputs = [x, weight, bias(6, x, weight)]
    check("DEPTHWISE_CONV_2D", inputs, [qout(0.05, 3)], "DepthwiseConv2DOptions", version=3, **options)


def test_unsigned_convolution_bit_for_bit() -> None:
    data = np.random.default_rng(7).integers(0, 255, (1, 6, 6, 2), np.uint8, endpoint=True)
    x = T(data, scales=[0.03], zero_points=[120])
    weight = const(np.random.default_rng(8).integers(0, 255, (3, 3, 3, 2), np.uint8), scales=[0.01], zero_points=[133])
    inputs = [x, weight, const(np.array([100, -200, 300], np.int32), scales=[0.0003])]
    check("CONV_2D", inputs, [qout(0.05, 100, "uint8")], "Conv2DOptions", **conv())


@pytest.mark.parametrize(("padding", "size"), [(SAME, 8), (SAME, 7), (VALID, 9), (VALID, 10)])
def test_transposed_convolution(padding: int, size: int) -> None:
    weight, x = stored(floats(1, 3, 3, 3, 5)), floats(2, 2, 4, 4, 5)
    options: dict[str, Any] = {"padding": padding, "strideH": 2, "strideW": 2}
    check("TRANSPOSE_CONV", [ints(2, size, size, 3), weight, x], table="TransposeConvOptions", atol=1e-5, **options)


def test_transposed_convolution_with_bias_and_a_long_stride() -> None:
    inputs = [ints(1, 12, 12, 3), stored(floats(1, 3, 2, 2, 5)), floats(2, 1, 4, 4, 5), stored(floats(3, 3))]
    options: dict[str, Any] = {"padding": SAME, "strideH": 3, "strideW": 3}
    check("TRANSPOSE_CONV", inputs, table="TransposeConvOptions", version=3, atol=1e-5, **options)


def test_quantized_transposed_convolution_bit_for_bit() -> None:
    x = int8(9, 1, 4, 4, 5, scale=0.05, zero_point=2)
    weight = per_channel(kernels(10, 3, 3, 3, 5), [0.004, 0.01, 0.02], 0)
    inputs = [ints(1, 8, 8, 3), weight, x, bias(11, x, weight)]
    options: dict[str, Any] = {"padding": SAME, "strideH": 2, "strideW": 2}
    check("TRANSPOSE_CONV", inputs, [qout(0.1, -4)], "TransposeConvOptions", version=3, **options)


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_fully_connected(keep: bool, activation: str) -> None:
    inputs = [floats(1, 2, 3, 6), stored(floats(2, 4, 6)), stored(floats(3, 4))]
    options: dict[str, Any] = {"keepNumDims": keep, "fusedActivationFunction": ACTIVATIONS[activation]}
    check("FULLY_CONNECTED", inputs, table="FullyConnectedOptions", version=5, atol=1e-5, **options)


def test_fully_connected_without_bias_and_with_computed_weights() -> None:
    check(
        "FULLY_CONNECTED",
        [floats(1, 2, 6), stored(floats(2, 4, 6)), None],
        table="FullyConnectedOptions",
        version=6,
        atol=1e-5,
    )
    check(
        "FULLY_CONNECTED", [floats(1, 2, 6), floats(2, 4, 6), None], table="FullyConnectedOptions", version=6, atol=1e-5
    )


@pytest.mark.parametrize("count", [1, 4])
def test_quantized_fully_connected_bit_for_bit(count: int) -> None:
    x = int8(1, 3, 6, scale=0.04, zero_point=-7)
    weight = per_channel(kernels(2, 4, 6), np.linspace(0.002, 0.02, count).tolist(), 0)
    scales = [0.04 * s for s in weight.scales]
    inputs = [x, weight, const(np.array([10, -500, 900, 7], np.int32), scales=scales)]
    check("FULLY_CONNECTED", inputs, [qout(0.06, 3)], "FullyConnectedOptions", version=4)


@pytest.mark.parametrize(("left", "right"), [(False, False), (True, False), (False, True), (True, True)])
def test_batch_matmul(left: bool, right: bool) -> None:
    a = floats(1, 2, *((5, 3) if left else (3, 5)))
    b = floats(2, 2, *((4, 5) if right else (5, 4)))
    check("BATCH_MATMUL", [a, b], table="BatchMatMulOptions", adjX=left, adjY=right, atol=1e-5)


def test_quantized_batch_matmul_bit_for_bit() -> None:
    a, b = int8(1, 2, 3, 5, scale=0.03, zero_point=-7), int8(2, 2, 5, 4, scale=0.02, zero_point=4)
    check("BATCH_MATMUL", [a, b], [qout(0.05, 3)], "BatchMatMulOptions", version=2)


@pytest.mark.parametrize("op", ["AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"])
@pytest.mark.parametrize("padding", [SAME, VALID])
@pytest.mark.parametrize("activation", ["NONE", "RELU", "RELU6", "RELU_N1_TO_1"])
def test_pooling(op: str, padding: int, activation: str) -> None:
    options: dict[str, Any] = {"padding": padding, "strideH": 2, "strideW": 1, "filterHeight": 3, "filterWidth": 2}
    x = floats(1, 2, 7, 8, 3)
    check(op, [x], table="Pool2DOptions", fusedActivationFunction=ACTIVATIONS[activation], **options)


@pytest.mark.parametrize("op", ["AVERAGE_POOL_2D", "MAX_POOL_2D"])
def test_quantized_pooling_bit_for_bit(op: str) -> None:
    options: dict[str, Any] = {"padding": SAME, "strideH": 2, "strideW": 1, "filterHeight": 3, "filterWidth": 2}
    x = int8(1, 2, 7, 8, 3, scale=0.05, zero_point=4)
    check(op, [x], [qout(0.05, 4)], "Pool2DOptions", version=2, fusedActivationFunction=3, **options)


@pytest.mark.parametrize(("align", "half"), [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("size", [(8, 12), (5, 3), (2, 9)])
@pytest.mark.parametrize("op", ["RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"])
def test_resizing(op: str, size: tuple[int, int], align: bool, half: bool) -> None:
    table = "ResizeBilinearOptions" if op == "RESIZE_BILINEAR" else "ResizeNearestNeighborOptions"
    inputs = [floats(1, 2, 4, 6, 3), ints(*size)]
    check(op, inputs, table=table, version=3, alignCorners=align, halfPixelCenters=half, rtol=1e-4, atol=1e-5)


def test_quantized_resizing() -> None:
    x = int8(1, 1, 4, 6, 3, scale=0.05, zero_point=4)
    check("RESIZE_BILINEAR", [x, ints(8, 9)], [qout(0.05, 4)], "ResizeBilinearOptions", version=2, quanta=1)
    options: dict[str, Any] = {"halfPixelCenters": True}
    check(
        "RESIZE_NEAREST_NEIGHBOR",
        [x, ints(7, 9)],
        [qout(0.05, 4)],
        "ResizeNearestNeighborOptions",
        version=2,
        **options,
    )


def test_normalization() -> None:
    options: dict[str, Any] = {"radius": 2, "bias": 1.0, "alpha": 0.3, "beta": 0.6}
    x = floats(1, 1, 2, 3, 7)
    # LiteRT's plain kernel leaves the last neighbor out, its optimized one does not.
    check("LOCAL_RESPONSE_NORMALIZATION", [x], table="LocalResponseNormalizationOptions", plain=False, **options)
    check("L2_NORMALIZATION", [x], table="L2NormOptions")
    check("L2_NORMALIZATION", [floats(2, 1, 3, 4, high=1e-4, low=-1e-4)], table="L2NormOptions")
    check("L2_NORMALIZATION", [floats(3, 1, 3, 4, high=1e-7, low=-1e-7)], table="L2NormOptions")
    check("L2_NORMALIZATION", [int8(1, 2, 8, scale=0.05)], [qout(1 / 128)], "L2NormOptions", version=2, quanta=1)


def test_blocks() -> None:
    check("SPACE_TO_DEPTH", [floats(1, 1, 4, 6, 3)], table="SpaceToDepthOptions", blockSize=2)
    check("DEPTH_TO_SPACE", [floats(1, 1, 4, 6, 8)], table="DepthToSpaceOptions", blockSize=2)


def test_dynamic_range_weights_are_marked_and_close() -> None:
    """LiteRT quantizes the activations as well, so results differ by about a 127th of the largest input."""
    x = floats(1, 2, 8, low=-1.0, high=1.0)
    weight = const(kernels(2, 4, 8), scales=[0.01])
    content = single("FULLY_CONNECTED", [x, weight, None], [out()], "FullyConnectedOptions", version=6)
    (node,) = read_tflite_buffer(content).nodes
    assert node.quant_type == QuantType.QUANT_WEIGHT
    assert_same(ours(content, fed([x])), litert(content, fed([x])), rtol=0, atol=8 * 127 * 0.01 / 127)
    exact = x.data @ (weight.data.astype(np.float32) * np.float32(0.01)).T
    assert_same(ours(content, fed([x])), [exact])


def test_dynamic_range_convolution_per_channel() -> None:
    x = floats(1, 1, 5, 5, 2, low=-1.0, high=1.0)
    scales = np.array([0.01, 0.02, 0.005], np.float32)
    weight = const(kernels(2, 3, 1, 1, 2), scales=scales.tolist())
    content = single("CONV_2D", [x, weight, stored(floats(3, 3))], [out()], "Conv2DOptions", version=2, **conv())
    exact = np.einsum("nhwc,kc->nhwk", x.data, weight.data[:, 0, 0] * scales[:, None]) + floats(3, 3).data
    assert_same(ours(content, fed([x])), [exact.astype(np.float32)])
    assert_same(ours(content, fed([x])), litert(content, fed([x])), rtol=0, atol=0.06)


def test_float16_weights_become_float32_at_once() -> None:
    from tests.formats.tflite.models import G, Op, model_bytes

    half = floats(2, 4, 6).data.astype(np.float16)
    tensors = [floats(1, 2, 6), const(half), out(shape=(4, 6)), out(shape=(2, 4))]
    ops = [
        Op("DEQUANTIZE", [1], [2], version=3),
        Op("FULLY_CONNECTED", [0, 2, -1], [3], "FullyConnectedOptions", version=6),
    ]
    content = model_bytes([G(tensors, ops, [0], [3])])
    assert [n.op_type for n in read_tflite_buffer(content).nodes] == ["FullConnection"]
    assert_same(ours(content, fed(tensors[:1])), litert(content, fed(tensors[:1])))


@pytest.mark.parametrize("quantized", [False, True])
def test_embedding_lookup(quantized: bool) -> None:
    ids = T(np.array([2, 0, 1, 2], np.int32))
    table = const(kernels(1, 3, 5), scales=[0.02]) if quantized else stored(floats(1, 3, 5))
    check("EMBEDDING_LOOKUP", [ids, table], version=3 if quantized else 1)
