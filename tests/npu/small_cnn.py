"""A small classifier of digits: fixed random convolutions, a depthwise one among them, and a fitted last layer."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite_delegate.ir import DataType, Graph, Node, Value, constant, make_primitive
from tests.npu.quantizing import captured
from tests.present import present

Array = np.ndarray[Any, Any]
CLASSES, RIDGE = 10, 1.0
SHIFTS = ((1, 1), (0, 1), (2, 1), (1, 0), (1, 2))


def small_cnn(images: Array, labels: Array) -> Graph:
    """Convolution, depthwise convolution, mean pool, full connection: images (N, 8, 8, 1) to 10 scores.

    The full connection is fitted to the labels by least squares (with ``RIDGE``), on what the layers before it give
    for the images and for the same images a pixel off in each direction.
    """
    images, labels = _shifted(images), np.tile(labels, len(SHIFTS))
    rng, count = np.random.default_rng(1), len(images)
    image = Value("image", DataType.FLOAT32, (count, 8, 8, 1))
    conv = _convolution("conv", image, rng.normal(size=(24, 3, 3, 1)) / 3, rng.normal(size=24) / 4, (count, 8, 8, 24))
    deep = _convolution(
        "deep", conv.outputs[0], rng.normal(size=(24, 3, 3, 1)) / 3, rng.normal(size=24) / 4, (count, 8, 8, 24)
    )
    pooled = Value("pool", DataType.FLOAT32, (count, 4, 4, 24))
    pool = Node(
        "pool",
        make_primitive("AvgPoolFusion", kernel_size=(2, 2), strides=(2, 2), pad=(0, 0, 0, 0), pad_mode="VALID"),
        [deep.outputs[0]],
        [pooled],
    )
    shape = constant("shape", np.array([-1, 384], np.int32))
    flat = Node("flat", make_primitive("Reshape"), [pooled, shape], [Value("flat", DataType.FLOAT32, (count, 384))])
    features = Graph("features", [image], [flat.outputs[0]], [conv, deep, pool, flat])
    weight, bias = _fitted(captured(features, images)[flat.outputs[0]], labels)
    scores = Value("scores", DataType.FLOAT32, (count, CLASSES))
    dense = Node(
        "dense",
        make_primitive("FullConnection", has_bias=True, use_axis=True, axis=1),
        [flat.outputs[0], constant("dense/weight", weight), constant("dense/bias", bias)],
        [scores],
    )
    return Graph("small_cnn", [image], [scores], [*features.nodes, dense])


def _shifted(images: Array) -> Array:
    """The images moved by each of ``SHIFTS``, white moving in."""
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    return np.concatenate([padded[:, r : r + 8, c : c + 8] for r, c in SHIFTS])


def _convolution(name: str, x: Value, weight: Array, bias: Array, shape: tuple[int, ...]) -> Node:
    channels = present(x.shape)[3]
    primitive = make_primitive(
        "Conv2DFusion",
        kernel_size=(3, 3),
        stride=(1, 1),
        dilation=(1, 1),
        pad_mode="SAME",
        group=channels,
        in_channel=channels,
        out_channel=shape[3],
        activation_type="RELU",
    )
    constants = [constant(f"{name}/{kind}", a.astype(np.float32)) for kind, a in (("weight", weight), ("bias", bias))]
    return Node(name, primitive, [x, *constants], [Value(name, DataType.FLOAT32, shape)])


def _fitted(features: Array, labels: Array) -> tuple[Array, Array]:
    """Weight (10, K) and bias (10,) of the ridge regression from features (N, K) to one-hot labels."""
    mean = features.mean(0, dtype=np.float64)
    centered, targets = features - mean, np.eye(CLASSES)[labels] - 0.1
    gram = centered.T @ centered + RIDGE * np.eye(centered.shape[1])
    weight = np.linalg.solve(gram, centered.T @ targets).T
    return weight.astype(np.float32), (0.1 - weight @ mean).astype(np.float32)
