"""``.tflite`` files to damage: one operator each, a small network in 8-bit integers, and a loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.formats.tflite.models import G, Op, T, const, ints, model_bytes, out, single

X = T(np.zeros((1, 8, 8, 4), np.float32))
ROWS = T(np.zeros((2, 6), np.float32))
ELEMENTWISE = ("ABS", "RELU", "RELU6", "LOGISTIC", "TANH", "ELU", "HARD_SWISH", "EXP", "LOG", "SQRT", "RSQRT", "FLOOR")
CONV: dict[str, Any] = {"padding": 0, "strideH": 1, "strideW": 1, "dilationHFactor": 1, "dilationWFactor": 1}
POOL: dict[str, Any] = {"padding": 1, "strideH": 2, "strideW": 2, "filterHeight": 2, "filterWidth": 2}


def samples() -> list[bytes]:
    """The files, in a fixed order."""
    found = [single(op, [X], [out(shape=(1, 8, 8, 4))]) for op in ELEMENTWISE]
    return [*found, *_dense(), *_movement(), _quantized_chain(), _loop()]


def _dense() -> list[bytes]:
    weight, bias = const(np.ones((5, 3, 3, 4), np.float32)), const(np.zeros(5, np.float32))
    depthwise = const(np.ones((1, 3, 3, 4), np.float32))
    image = out(shape=(1, 8, 8, 5))
    return [
        single("CONV_2D", [X, weight, bias], [image], "Conv2DOptions", **CONV, fusedActivationFunction=1),
        single("DEPTHWISE_CONV_2D", [X, depthwise, None], [out(shape=(1, 8, 8, 4))], "DepthwiseConv2DOptions",
               **CONV, depthMultiplier=1),
        single("TRANSPOSE_CONV", [ints(1, 16, 16, 4), const(np.ones((4, 2, 2, 4), np.float32)), X],
               [out(shape=(1, 16, 16, 4))], "TransposeConvOptions", padding=0, strideH=2, strideW=2),
        single("AVERAGE_POOL_2D", [X], [out(shape=(1, 4, 4, 4))], "Pool2DOptions", **POOL),
        single("MAX_POOL_2D", [X], [out(shape=(1, 4, 4, 4))], "Pool2DOptions", **POOL),
        single("FULLY_CONNECTED", [ROWS, const(np.ones((3, 6), np.float32)), None], [out(shape=(2, 3))],
               "FullyConnectedOptions"),
        single("BATCH_MATMUL", [ROWS, const(np.ones((6, 4), np.float32))], [out(shape=(2, 4))], "BatchMatMulOptions"),
        single("RESIZE_BILINEAR", [X, ints(16, 16)], [out(shape=(1, 16, 16, 4))], "ResizeBilinearOptions"),
        single("RESIZE_NEAREST_NEIGHBOR", [X, ints(16, 16)], [out(shape=(1, 16, 16, 4))],
               "ResizeNearestNeighborOptions"),
        single("SOFTMAX", [ROWS], [out(shape=(2, 6))], "SoftmaxOptions", beta=1.0),
        single("MEAN", [X, ints(1, 2)], [out(shape=(1, 1, 1, 4))], "ReducerOptions", keepDims=True),
        single("ARG_MAX", [ROWS, ints(1)], [out("int32", (2,))], "ArgMaxOptions", outputType=2),
        single("TOPK_V2", [ROWS, ints(2)], [out(shape=(2, 2)), out("int32", (2, 2))], "TopKV2Options"),
    ]  # fmt: skip


def _movement() -> list[bytes]:
    axes = T(np.array([1, 2], np.int32))
    return [
        single("RESHAPE", [ROWS, ints(3, 4)], [out(shape=(3, 4))], "ReshapeOptions", newShape=[3, 4]),
        single("RESHAPE", [ROWS, T(np.array([3, 4], np.int32))], [out(shape=(3, 4))], "ReshapeOptions"),
        single("TRANSPOSE", [ROWS, ints(1, 0)], [out(shape=(6, 2))]),
        single("PAD", [ROWS, const(np.array([[1, 1], [0, 2]], np.int32))], [out(shape=(4, 8))]),
        single("MIRROR_PAD", [ROWS, const(np.array([[1, 1], [0, 2]], np.int32))], [out(shape=(4, 8))],
               "MirrorPadOptions"),
        single("CONCATENATION", [ROWS, ROWS], [out(shape=(2, 12))], "ConcatenationOptions", axis=1),
        single("SPLIT", [ints(1), ROWS], [out(shape=(2, 3)), out(shape=(2, 3))], "SplitOptions", numSplits=2),
        single("STRIDED_SLICE", [ROWS, ints(0, 1), ints(2, 5), ints(1, 2)], [out(shape=(2, 2))],
               "StridedSliceOptions"),
        single("TILE", [ROWS, ints(2, 3)], [out(shape=(4, 18))]),
        single("TILE", [ROWS, axes], [out(shape=(4, 18))]),
        single("BROADCAST_TO", [ROWS, ints(3, 2, 6)], [out(shape=(3, 2, 6))]),
        single("GATHER", [ROWS, ints(1, 0)], [out(shape=(2, 6))], "GatherOptions"),
        single("ONE_HOT", [ints(0, 1), ints(4), const(np.float32(1)), const(np.float32(0))], [out(shape=(2, 4))],
               "OneHotOptions", axis=-1),
        single("FILL", [T(np.array([2, 3], np.int32)), const(np.float32(1))], [out(shape=(2, 3))]),
        single("RANGE", [T(np.float32(0)), T(np.float32(5)), T(np.float32(1))], [out(shape=(5,))]),
        single("SPACE_TO_BATCH_ND", [X, ints(2, 2), const(np.zeros((2, 2), np.int32))], [out(shape=(4, 4, 4, 4))]),
        single("BATCH_TO_SPACE_ND", [T(np.zeros((4, 4, 4, 4), np.float32)), ints(2, 2),
               const(np.zeros((2, 2), np.int32))], [out(shape=(1, 8, 8, 4))]),
        single("DEPTH_TO_SPACE", [X], [out(shape=(1, 16, 16, 1))], "DepthToSpaceOptions", blockSize=2),
        single("ADD", [ROWS, const(np.ones(6, np.float32))], [out(shape=(2, 6))], "AddOptions"),
        single("MUL", [ROWS, ROWS], [out(shape=(2, 6))], "MulOptions"),
        single("CAST", [ROWS], [out("int32", (2, 6))], "CastOptions"),
    ]  # fmt: skip


def _quantized_chain() -> bytes:
    """Quantize, a convolution with a scale per channel, an addition, dequantize."""
    scales = (0.1, 0.2, 0.3, 0.4)
    tensors = [
        X,
        T(dtype="int8", shape=(1, 8, 8, 4), scales=(0.05,), zero_points=(3,)),
        const(np.ones((4, 1, 1, 4), np.int8), scales=scales),
        const(np.zeros(4, np.int32), scales=[0.05 * s for s in scales]),
        T(dtype="int8", shape=(1, 8, 8, 4), scales=(0.05,), zero_points=(-1,)),
        T(dtype="int8", shape=(1, 8, 8, 4), scales=(0.1,), zero_points=(0,)),
        out(shape=(1, 8, 8, 4)),
    ]
    ops = [
        Op("QUANTIZE", [0], [1]),
        Op("CONV_2D", [1, 2, 3], [4], "Conv2DOptions", CONV),
        Op("ADD", [4, 1], [5], "AddOptions"),
        Op("DEQUANTIZE", [5], [6]),
    ]
    return model_bytes([G(tensors, ops, [0], [6])])


def _loop() -> bytes:
    """A loop that counts to five."""
    number, done = out("int32"), out("bool")
    condition = G([number, ints(5), done], [Op("LESS", [0, 1], [2], "LessOptions")], [0], [2], "condition")
    body = G([number, ints(1), number], [Op("ADD", [0, 1], [2], "AddOptions")], [0], [2], "body")
    options = {"condSubgraphIndex": 1, "bodySubgraphIndex": 2}
    main = G([number, number], [Op("WHILE", [0], [1], "WhileOptions", options)], [0], [1])
    return model_bytes([main, condition, body])
