"""Steps that add TensorFlow Lite's operators to a growing model: real numbers, integers, and quantized chains."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.formats.tflite.models import schema
from tests.random_models.steps import Array, has_length, has_roots
from tests.random_models.tflite_growing import Kind, TfliteGrowing

Grow = Callable[[TfliteGrowing], object]
BOOL, INT32 = Kind("bool"), Kind("int32")
UNARY = (
    *("ABS", "NEG", "RELU", "RELU6", "RELU_N1_TO_1", "LOGISTIC", "TANH", "ELU", "HARD_SWISH", "SIN", "COS", "CEIL"),
    *("FLOOR", "ROUND", "EXP", "LOG", "SQRT", "RSQRT", "SQUARE", "SIGN", "ZEROS_LIKE"),
)
BINARY = {
    "ADD": "AddOptions",
    "SUB": "SubOptions",
    "MUL": "MulOptions",
    "DIV": "DivOptions",
    "MAXIMUM": "MaximumMinimumOptions",
    "MINIMUM": "MaximumMinimumOptions",
    "SQUARED_DIFFERENCE": "",
    "POW": "",
    "FLOOR_DIV": "",
    "FLOOR_MOD": "",
    "PRELU": "",
}
ACTIVATED = frozenset({"ADD", "SUB", "MUL", "DIV"})
COMPARING = ("GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL", "EQUAL", "NOT_EQUAL")
REDUCTIONS = ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD")
ACTIVATIONS = ("NONE", "NONE", "RELU", "RELU6", "RELU_N1_TO_1")


def _activation(g: TfliteGrowing) -> dict[str, Any]:
    return {"fusedActivationFunction": getattr(schema.ActivationFunctionType, g.rng.choice(ACTIVATIONS))}


def _padding(g: TfliteGrowing) -> dict[str, Any]:
    return {"padding": g.rng.choice([schema.Padding.SAME, schema.Padding.VALID])}


def _strides(g: TfliteGrowing) -> dict[str, Any]:
    return {"strideH": g.rng.randint(1, 2), "strideW": g.rng.randint(1, 2)}


def unary(g: TfliteGrowing) -> None:
    x = g.pick()
    if x is not None:
        op = g.rng.choice(UNARY)
        if op != "SQRT" or has_roots(g.arrays[x]):
            g.node(op, [x])


def leaky(g: TfliteGrowing) -> None:
    x = g.pick()
    if x is not None:
        if g.rng.random() < 0.5:
            g.node("LEAKY_RELU", [x], table="LeakyReluOptions", alpha=0.125)
        else:
            g.node("GELU", [x], table="GeluOptions", approximate=g.rng.random() < 0.5)


def binary(g: TfliteGrowing) -> None:
    x = g.pick()
    if x is None:
        return
    array, op = g.arrays[x], g.rng.choice(list(BINARY))
    other = g.pick(where=lambda y: y.shape == array.shape)
    if other is None or op in ("PRELU", "POW", "FLOOR_DIV", "FLOOR_MOD") or g.rng.random() < 0.5:
        shape = [1 if op == "PRELU" and axis < array.ndim - 1 else n for axis, n in enumerate(array.shape)]
        shape = shape if op == "PRELU" else shape[g.rng.randint(0, len(shape)) :]
        other = g.constant(np.abs(g.numbers(*shape)) + np.float32(0.5))
    if op == "PRELU":
        other = g.constant(g.arrays[other][tuple([0] * 1)] if array.ndim > 1 else g.arrays[other])
    options = _activation(g) if op in ACTIVATED else {}
    g.node(op, [x, other], table=BINARY[op], **options)


def compare(g: TfliteGrowing) -> None:
    x = g.pick(g.rng.choice((np.float32, np.int32)))
    if x is not None:
        g.node(g.rng.choice(COMPARING), [x, g.constant(g.numbers(1, dtype=g.arrays[x].dtype))], BOOL)


def logical(g: TfliteGrowing) -> None:
    x = g.pick(np.bool_)
    if x is not None:
        op = g.rng.choice(["LOGICAL_AND", "LOGICAL_OR", "LOGICAL_NOT"])
        g.node(op, [x] if op == "LOGICAL_NOT" else [x, g.constant(g.numbers(*g.arrays[x].shape, dtype=np.bool_))])


def choose(g: TfliteGrowing) -> None:
    """A condition of one element is left out: LiteRT gives such a choice the shape ()."""
    condition = g.pick(np.bool_, where=lambda y: y.size > 1)
    if condition is not None:
        shape = g.arrays[condition].shape
        x = g.pick(where=lambda y: y.shape == shape)
        if x is not None:
            g.node("SELECT_V2", [condition, x, g.constant(g.numbers(*shape))], Kind("float32"))


def cast(g: TfliteGrowing) -> None:
    x = g.pick(np.float32, np.int32, np.bool_, np.int64)
    if x is not None:
        kinds = ["float32", "int32", "int64"]
        g.node("CAST", [x], Kind(g.rng.choice(kinds)), table="CastOptions")


def reduce(g: TfliteGrowing) -> None:
    x = g.pick(where=lambda a: a.ndim > 0)
    if x is not None:
        axes = g.constant(_axes(g, g.arrays[x]), np.int32)
        keep = g.rng.random() < 0.5
        g.node(g.rng.choice(REDUCTIONS), [x, axes], table="ReducerOptions", keepDims=keep)


def _axes(g: TfliteGrowing, array: Array) -> list[int]:
    axes = g.rng.sample(range(array.ndim), g.rng.randint(1, array.ndim))
    return [axis - array.ndim if g.rng.random() < 0.3 else axis for axis in axes]


def arg(g: TfliteGrowing) -> None:
    x = g.pick(where=lambda a: a.ndim > 0)
    if x is not None:
        op = g.rng.choice(["ARG_MAX", "ARG_MIN"])
        axis = g.constant(g.rng.randrange(g.arrays[x].ndim), np.int32)
        table = "ArgMaxOptions" if op == "ARG_MAX" else "ArgMinOptions"
        g.node(op, [x, axis], INT32, table=table, outputType=schema.TensorType.INT32)


def softmax(g: TfliteGrowing) -> None:
    x = g.pick(where=lambda a: 0 < a.ndim <= 4)
    if x is not None:
        op = g.rng.choice(["SOFTMAX", "LOG_SOFTMAX", "L2_NORMALIZATION"])
        options: dict[str, Any] = {"SOFTMAX": {"beta": 1.0}, "L2_NORMALIZATION": {}}.get(op, {})
        table = {"SOFTMAX": "SoftmaxOptions", "LOG_SOFTMAX": "LogSoftmaxOptions", "L2_NORMALIZATION": "L2NormOptions"}
        if op != "L2_NORMALIZATION" or has_length(g.arrays[x], -1):
            g.node(op, [x], table=table[op], **options)


def _any(g: TfliteGrowing, min_rank: int = 0) -> str | None:
    return g.pick(g.rng.choice((np.float32, np.float32, np.int32)), where=lambda a: a.ndim >= min_rank)


def reshape(g: TfliteGrowing) -> None:
    x = _any(g)
    if x is None:
        return
    dims = g.other_dims(g.arrays[x].size, 4)
    g.node("RESHAPE", [x, g.constant(dims, np.int32)], table="ReshapeOptions", newShape=dims)


def transpose(g: TfliteGrowing) -> None:
    x = _any(g, 2)
    if x is not None:
        order = g.rng.sample(range(g.arrays[x].ndim), g.arrays[x].ndim)
        g.node("TRANSPOSE", [x, g.constant(order, np.int32)], table="TransposeOptions")


def expand(g: TfliteGrowing) -> None:
    x = _any(g)
    if x is None:
        return
    array = g.arrays[x]
    ones = [axis for axis, n in enumerate(array.shape) if n == 1]
    if ones and g.rng.random() < 0.5:
        g.node("SQUEEZE", [x], table="SqueezeOptions", squeezeDims=g.rng.sample(ones, g.rng.randint(1, len(ones))))
    elif g.rng.random() < 0.5:
        g.node("EXPAND_DIMS", [x, g.constant(g.rng.randint(0, array.ndim), np.int32)], table="ExpandDimsOptions")
    else:
        g.node("TILE", [x, g.constant([g.rng.randint(1, 2) for _ in array.shape], np.int32)], table="TileOptions")


def concatenate(g: TfliteGrowing) -> None:
    x = _any(g, 1)
    if x is not None:
        array = g.arrays[x]
        other = g.constant(g.numbers(*array.shape, dtype=array.dtype)) if g.rng.random() < 0.5 else x
        axis = g.rng.randrange(array.ndim)
        none = schema.ActivationFunctionType.NONE
        g.node("CONCATENATION", [x, other], table="ConcatenationOptions", axis=axis, fusedActivationFunction=none)


def pack(g: TfliteGrowing) -> None:
    x = _any(g, 1)
    if x is None:
        return
    array = g.arrays[x]
    if g.rng.random() < 0.5:
        axis = g.rng.randint(0, array.ndim)
        g.node("PACK", [x, x], table="PackOptions", valuesCount=2, axis=axis)
        return
    axis = g.rng.randrange(array.ndim)
    count = array.shape[axis]
    kinds = [g.kind(x)] * count
    if count <= 4:
        g.node("UNPACK", [x], *kinds, table="UnpackOptions", num=count, axis=axis)


def split(g: TfliteGrowing) -> None:
    x = g.pick(where=lambda a: a.ndim > 0 and max(a.shape) > 1)
    if x is None:
        return
    shape = g.arrays[x].shape
    axis = g.rng.choice([axis for axis, n in enumerate(shape) if n > 1])
    first = g.rng.randint(1, shape[axis] - 1)
    sizes = g.constant([first, shape[axis] - first], np.int32)
    where = g.constant(axis, np.int32)
    g.node("SPLIT_V", [x, sizes, where], g.kind(x), g.kind(x), table="SplitVOptions", numSplits=2)


def cut(g: TfliteGrowing) -> None:
    x = _any(g, 1)
    if x is None:
        return
    shape = g.arrays[x].shape
    begin = [g.rng.randrange(n) for n in shape]
    if g.rng.random() < 0.5:
        sizes = [g.rng.choice([-1, g.rng.randint(1, n - b)]) for n, b in zip(shape, begin, strict=True)]
        g.node("SLICE", [x, g.constant(begin, np.int32), g.constant(sizes, np.int32)], table="SliceOptions")
        return
    ends = [g.rng.randint(b + 1, n) for n, b in zip(shape, begin, strict=True)]
    masks: dict[str, Any] = {"beginMask": g.rng.randrange(2 ** len(shape)), "endMask": g.rng.randrange(2 ** len(shape))}
    parts = [g.constant(each, np.int32) for each in (begin, ends, [g.rng.randint(1, 2) for _ in shape])]
    shrink = 1 if g.rng.random() < 0.2 and len(shape) > 1 else 0
    g.node("STRIDED_SLICE", [x, *parts], table="StridedSliceOptions", shrinkAxisMask=shrink, **masks)


def pad(g: TfliteGrowing) -> None:
    x = g.pick(where=lambda a: 0 < a.ndim <= 4)
    if x is None:
        return
    amounts = g.constant([[g.rng.randint(0, 1), g.rng.randint(0, 2)] for _ in g.arrays[x].shape], np.int32)
    op = g.rng.choice(["PAD", "PADV2", "MIRROR_PAD"])
    if op == "PADV2":
        g.node(op, [x, amounts, g.constant(1.5, np.float32)], table="PadV2Options")
    elif op == "PAD":
        g.node(op, [x, amounts], table="PadOptions")
    else:
        g.node(op, [x, amounts], table="MirrorPadOptions", mode=g.rng.randint(0, 1))


def gather(g: TfliteGrowing) -> None:
    x = g.pick(where=lambda a: a.ndim > 0)
    if x is None:
        return
    axis = g.rng.randrange(g.arrays[x].ndim)
    size = g.arrays[x].shape[axis]
    places = np.array([g.rng.randrange(size) for _ in range(g.rng.randint(1, 3))], np.int32)
    held = g.input(places) if g.rng.random() < 0.3 else g.constant(places)
    g.node("GATHER", [x, held], table="GatherOptions", axis=axis)


def top_k(g: TfliteGrowing) -> None:
    x = g.pick(where=lambda a: a.ndim > 0)
    if x is not None:
        k = g.constant(g.rng.randint(1, g.arrays[x].shape[-1]), np.int32)
        g.node("TOPK_V2", [x, k], Kind("float32"), INT32, table="TopKV2Options")


def cumulative(g: TfliteGrowing) -> None:
    x = g.pick(where=lambda a: a.ndim > 0)
    if x is not None:
        axis = g.constant(g.rng.randrange(g.arrays[x].ndim), np.int32)
        options: dict[str, Any] = {"exclusive": g.rng.random() < 0.5, "reverse": g.rng.random() < 0.5}
        g.node("CUMSUM", [x, axis], table="CumsumOptions", **options)


def _image(g: TfliteGrowing, kind: Any = np.float32) -> str | None:
    return g.pick(kind, where=lambda a: a.ndim == 4 and min(a.shape[1:3]) > 1)


def convolution(g: TfliteGrowing) -> None:
    x = _image(g)
    if x is None:
        return
    channels, kernel = g.arrays[x].shape[3], [g.rng.randint(1, 3) for _ in range(2)]
    shared: dict[str, Any] = {**_padding(g), **_strides(g), **_activation(g)}
    if g.rng.random() < 0.6:
        count = g.rng.randint(1, 5)
        parts = [g.constant(g.numbers(count, *kernel, channels, scale=0.5)), g.constant(g.numbers(count))]
        g.node("CONV_2D", [x, *parts], table="Conv2DOptions", dilationHFactor=1, dilationWFactor=1, **shared)
    else:
        count = channels * g.rng.randint(1, 2)
        parts = [g.constant(g.numbers(1, *kernel, count, scale=0.5)), g.constant(g.numbers(count))]
        shared |= {"strideW": shared["strideH"], "depthMultiplier": count // channels}
        shared |= {"dilationHFactor": 1, "dilationWFactor": 1}
        g.node("DEPTHWISE_CONV_2D", [x, *parts], table="DepthwiseConv2DOptions", **shared)


def pool(g: TfliteGrowing) -> None:
    x = _image(g)
    if x is not None:
        op = g.rng.choice(["AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"])
        window: dict[str, Any] = {"filterHeight": g.rng.randint(1, 2), "filterWidth": g.rng.randint(1, 2)}
        g.node(op, [x], table="Pool2DOptions", **window, **_padding(g), **_strides(g), **_activation(g))


def dense(g: TfliteGrowing) -> None:
    x = g.pick(where=lambda a: a.ndim == 2)
    if x is None:
        return
    width, count = g.arrays[x].shape[1], g.rng.randint(1, 5)
    if g.rng.random() < 0.7:
        parts = [g.constant(g.numbers(count, width)), g.constant(g.numbers(count)) if g.rng.random() < 0.7 else ""]
        g.node("FULLY_CONNECTED", [x, *parts], table="FullyConnectedOptions", **_activation(g))
    else:
        g.node("BATCH_MATMUL", [x, g.constant(g.numbers(width, count))], table="BatchMatMulOptions")


def resize(g: TfliteGrowing) -> None:
    x = _image(g)
    if x is not None:
        op = g.rng.choice(["RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"])
        align, half = g.rng.choice([(False, False), (True, False), (False, True)])
        table = "ResizeBilinearOptions" if op == "RESIZE_BILINEAR" else "ResizeNearestNeighborOptions"
        sizes = g.constant([g.rng.randint(2, 6) for _ in range(2)], np.int32)
        g.node(op, [x, sizes], table=table, alignCorners=align, halfPixelCenters=half)


def blocks(g: TfliteGrowing) -> None:
    x = g.pick(where=lambda a: a.ndim == 4)
    if x is not None:
        op = g.rng.choice(["SPACE_TO_DEPTH", "DEPTH_TO_SPACE"])
        table = "SpaceToDepthOptions" if op == "SPACE_TO_DEPTH" else "DepthToSpaceOptions"
        g.node(op, [x], table=table, blockSize=2)


def _quantized(g: TfliteGrowing) -> Kind:
    """Scale and zero point of a tensor. No scale is round: products of round ones are halves."""
    return Kind("int8", g.rng.uniform(0.02, 0.1), g.rng.randint(-20, 20))


def quantize(g: TfliteGrowing) -> None:
    x = g.pick()
    if x is not None:
        g.node("QUANTIZE", [x], _quantized(g))


def dequantize(g: TfliteGrowing) -> None:
    x = g.pick(np.int8, where=lambda a: a.ndim > 0)
    if x is not None:
        g.node("DEQUANTIZE", [x], Kind("float32"))


def quantized_layer(g: TfliteGrowing) -> None:
    """A convolution or dense layer of int8, with a scale of its weights for each channel or one for all."""
    x = _image(g, np.int8) if g.rng.random() < 0.6 else g.pick(np.int8, where=lambda a: a.ndim == 2)
    if x is None:
        return
    array, own, count = g.arrays[x], g.kind(x), g.rng.randint(1, 4)
    is_image = array.ndim == 4
    shape = (count, 2, 2, array.shape[3]) if is_image else (count, array.shape[1])
    held = np.clip(np.rint(g.numbers(*shape) * 40), -127, 127).astype(np.int8)
    scales = [g.rng.uniform(0.01, 0.03) for _ in range(count)] if is_image else [g.rng.uniform(0.01, 0.03)]
    weights = g.weights(held, scales=scales)
    bias = g.weights(np.rint(g.numbers(count) * 50).astype(np.int32), scales=[own.scale * each for each in scales])
    if is_image:
        options = {**_padding(g), **_strides(g), **_activation(g), "dilationHFactor": 1, "dilationWFactor": 1}
        g.node("CONV_2D", [x, weights, bias], _quantized(g), table="Conv2DOptions", **options)
    else:
        g.node("FULLY_CONNECTED", [x, weights, bias], _quantized(g), table="FullyConnectedOptions", **_activation(g))


def quantized_elements(g: TfliteGrowing) -> None:
    x = g.pick(np.int8, where=lambda a: a.ndim > 0)
    if x is None:
        return
    op = g.rng.choice(["ADD", "MUL", "LOGISTIC", "TANH", "SOFTMAX", "RESHAPE", "MEAN", "RELU"])
    array = g.arrays[x]
    if op in ("ADD", "MUL"):
        g.node(op, [x, x], _quantized(g), table=BINARY[op], **_activation(g))
    elif op in ("LOGISTIC", "SOFTMAX"):
        more: dict[str, Any] = {"table": "SoftmaxOptions", "beta": 1.0} if op == "SOFTMAX" else {}
        g.node(op, [x], Kind("int8", 1 / 256, -128), **more)
    elif op == "TANH":
        g.node(op, [x], Kind("int8", 1 / 128, 0))
    elif op == "RESHAPE":
        g.node(op, [x, g.constant([-1], np.int32)], g.kind(x), table="ReshapeOptions", newShape=[array.size])
    elif op == "RELU":
        g.node(op, [x], _quantized(g))
    else:
        axes = g.constant([array.ndim - 1], np.int32)
        g.node(op, [x, axes], _quantized(g), table="ReducerOptions", keepDims=True)


STEPS: tuple[Grow, ...] = (
    *(unary, unary, leaky, binary, binary, compare, logical, choose, cast, reduce, arg, softmax),
    *(reshape, transpose, expand, concatenate, pack, split, cut, pad, gather, top_k, cumulative),
    *(convolution, convolution, pool, dense, dense, resize, blocks),
    *(quantize, quantize, dequantize, quantized_layer, quantized_layer, quantized_elements),
)
