"""Small models of well-known make with seeded random weights, in the way that exporters write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnx

from benchmarks.onnx_classifiers import ds_cnn, efficientnet_lite0, lenet, mobilenet_v3
from benchmarks.onnx_networks import OnnxNet, vision_transformer

Array = np.ndarray[Any, Any]


def _conv(net: OnnxNet, x: str, channels: tuple[int, int], size: int = 3, stride: int = 1) -> str:
    """A convolution, padded by half its size."""
    inside, outside = channels
    kernels = net.weight(outside, inside, size, size, terms=inside * size * size)
    pads = [size // 2] * 4
    return str(net.op("Conv", x, kernels, net.vector(outside), pads=pads, strides=[stride] * 2))


def _block(net: OnnxNet, x: str, channels: tuple[int, int], stride: int = 1) -> str:
    """Convolution, batch normalization, ReLU."""
    size = channels[1]
    statistics = net.vector(size, 1.0), net.vector(size), net.vector(size), net.vector(size, 1.0)
    return str(net.op("Relu", net.op("BatchNormalization", _conv(net, x, channels, stride=stride), *statistics)))


def small_vision_transformer() -> onnx.ModelProto:
    """(1, 3, 64, 64) to (1, 10)."""
    return vision_transformer(size=64, width=96, depth=4, heads=3, classes=10)


def text_encoder(tokens: int = 32, width: int = 128, depth: int = 3, words: int = 500) -> onnx.ModelProto:
    """A BERT-style encoder: ids and mask (1, tokens) to (1, tokens, width) and the first token's (1, width)."""
    net = OnnxNet("text_encoder")
    ids, mask = (net.input(name, (1, tokens), np.int64) for name in ("input_ids", "attention_mask"))
    wide = net.op("Cast", net.op("Unsqueeze", mask, net.ints(1, 2)), to=onnx.TensorProto.FLOAT)
    hidden = net.op("Mul", net.op("Sub", net.const(1.0), wide), net.const(-10000.0))
    x = net.op("Gather", net.weight(words, width, terms=1), ids)
    x = net.spelled_layer_norm(net.op("Add", x, net.weight(1, tokens, width, terms=25)), width)
    for _ in range(depth):
        x = net.spelled_layer_norm(net.op("Add", net.attention(x, tokens, width, 4, hidden), x), width)
        inner = net.gelu(net.dense(x, width, 4 * width))
        x = net.spelled_layer_norm(net.op("Add", net.dense(inner, 4 * width, width), x), width)
    first = net.op("Gather", x, net.const(0, np.int64), axis=1)
    return net.model(x, net.op("Tanh", net.dense(first, width, width)))


def unet() -> onnx.ModelProto:
    """(1, 3, 48, 64) to (1, 2, 48, 64); one level up by a transposed convolution, the other by interpolation."""
    net = OnnxNet("unet")
    x = net.input("image", (1, 3, 48, 64))
    top = _block(net, _block(net, x, (3, 8)), (8, 8))
    middle = _block(net, net.op("MaxPool", top, kernel_shape=[2, 2], strides=[2, 2]), (8, 16))
    bottom = _block(net, net.op("MaxPool", middle, kernel_shape=[2, 2], strides=[2, 2]), (16, 32))
    kernels = net.weight(32, 16, 2, 2, terms=32)
    up = net.op("ConvTranspose", bottom, kernels, net.vector(16), kernel_shape=[2, 2], strides=[2, 2])
    middle = _block(net, net.op("Concat", up, middle, axis=1), (32, 16))
    scales = net.const([1, 1, 2, 2])
    up = net.op("Resize", middle, "", scales, mode="linear", coordinate_transformation_mode="half_pixel")
    top = _block(net, net.op("Concat", up, top, axis=1), (24, 8))
    return net.model(net.op("Softmax", _conv(net, top, (8, 2), size=1), axis=1))


def detector(classes: int = 5, *, select: bool = True) -> onnx.ModelProto:
    """An SSD-style detector: (1, 3, 64, 64) to boxes (1, B, 4), scores (1, classes, B), and the boxes selected."""
    net = OnnxNet("detector")
    x = _block(net, net.input("image", (1, 3, 64, 64)), (3, 16), stride=2)
    levels = []
    for channels in ((16, 32), (32, 32), (32, 32)):
        x = _block(net, x, channels, stride=2)
        levels.append(x)
    boxes = net.op("Concat", *(_head(net, level, 4) for level in levels), axis=1)
    raw = net.op("Concat", *(_head(net, level, classes) for level in levels), axis=1)
    scores = net.op("Transpose", net.op("Softmax", raw, axis=-1), perm=[0, 2, 1])
    if not select:
        return net.model(boxes, scores)
    bounds = net.ints(8), net.const([0.5]), net.const([0.2])
    return net.model(boxes, scores, net.op("NonMaxSuppression", boxes, scores, *bounds))


def _head(net: OnnxNet, x: str, values: int, anchors: int = 3) -> str:
    """What a convolution says of each anchor of each place: (1, places * anchors, values)."""
    raw = net.op("Transpose", _conv(net, x, (32, anchors * values)), perm=[0, 2, 3, 1])
    return str(net.op("Reshape", raw, net.ints(1, -1, values)))


def speech_model(steps: int = 20, features: int = 16, units: int = 24) -> onnx.ModelProto:
    """Two LSTM layers, the first in both directions: (steps, 1, features) to (steps, 1, 10)."""
    net = OnnxNet("speech_model")
    x = net.input("features", (steps, 1, features))
    terms = features
    for directions, kind in ((2, "bidirectional"), (1, "forward")):
        weights = net.weight(directions, 4 * units, terms, terms=terms)
        again = net.weight(directions, 4 * units, units, terms=units)
        bias = net.weight(directions, 8 * units, terms=25)
        y, _, _ = net.op("LSTM", x, weights, again, bias, outputs=3, hidden_size=units, direction=kind)
        terms = directions * units
        x = net.op("Reshape", net.op("Transpose", y, perm=[0, 2, 1, 3]), net.ints(steps, 1, terms))
    return net.model(net.op("LogSoftmax", net.dense(x, terms, 10), axis=-1))


ARCHITECTURES: Mapping[str, Callable[[], onnx.ModelProto]] = {
    "vision_transformer": small_vision_transformer,
    "text_encoder": text_encoder,
    "unet": unet,
    "detector": detector,
    "speech_model": speech_model,
    "mobilenet_v3": lambda: mobilenet_v3(size=32, classes=10),
    "efficientnet_lite0": lambda: efficientnet_lite0(size=32, classes=10),
    "ds_cnn": ds_cnn,
    "lenet": lenet,
}
"""All of them, by name."""


def inputs_of(model: onnx.ModelProto, seed: int = 1) -> dict[str, Array]:
    """Normal numbers, or ids below 2 and at most 500, for each input."""
    random = np.random.default_rng(seed)
    found: dict[str, Array] = {}
    for info in model.graph.input:
        shape = [d.dim_value for d in info.type.tensor_type.shape.dim]
        if info.type.tensor_type.elem_type == onnx.TensorProto.INT64:
            found[info.name] = random.integers(2 if "mask" in info.name else 500, size=shape)
        else:
            found[info.name] = random.standard_normal(shape, np.float32)
    return found
