"""ONNX operators on the pixels and channels of images."""

from __future__ import annotations

import numpy as np

from ....ir import Value
from ...rejection import Why
from ..conversion import Converter, OnnxNode
from ..windows.spatial import from_nhwc, to_nhwc


def _lrn(node: OnnxNode) -> Value:
    size = node.get("size", 1)
    node.reject_unless(size % 2, Why.ATTRIBUTE, f"size must be odd, found {size}")
    rank = node.rank(node.x())
    node.reject_unless(rank in (3, 4), Why.RANK, f"1 or 2 spatial axes are supported, found {rank - 2}")
    y = node.emit(
        "LRN",
        to_nhwc(node, node.x()),
        depth_radius=size // 2,
        alpha=node.get("alpha", 0.0001) / size,
        beta=node.get("beta", 0.75),
        bias=node.get("bias", 1.0),
    )
    return from_nhwc(node, y, rank)


def _depth_to_space(node: OnnxNode) -> Value:
    size, mode = node.get("blocksize", 1), node.get("mode", "DCR")
    y = node.emit("DepthToSpace", to_nhwc(node, node.x()), block_size=size, mode=mode, format="NHWC")
    return from_nhwc(node, y, 4)


def _space_to_depth(node: OnnxNode) -> Value:
    size, mode = node.get("blocksize", 1), node.get("mode", "DCR")
    if mode == "DCR":
        y = node.emit("SpaceToDepth", to_nhwc(node, node.x()), block_size=size, format="NHWC")
        return from_nhwc(node, y, 4)
    node.reject_unless(mode == "CRD", Why.ATTRIBUTE, f"mode {mode}")
    batch, channels, height, width = node.shape(node.x())
    blocks = node.reshape(node.x(), [batch, channels, height // size, size, width // size, size])
    turned = node.transpose(blocks, [0, 1, 3, 5, 2, 4])
    return node.reshape(turned, [batch, channels * size * size, height // size, width // size])


def _max_unpool(node: OnnxNode) -> Value:
    """Puts each element at its index in an image of zeros; indices count through the whole output."""
    x, indices, wanted = node.x(0), node.x(1), node.optional(2)
    shape = node.shape(x)
    kernel = node.get("kernel_shape", [])
    strides = node.get("strides", [1] * len(kernel))
    pads = node.get("pads", [0] * 2 * len(kernel))
    sizes = [
        (n - 1) * s - pads[i] - pads[i + len(kernel)] + k
        for i, (n, s, k) in enumerate(zip(shape[2:], strides, kernel, strict=True))
    ]
    own = [*shape[:2], *sizes]
    if wanted is None:
        return _unpooled(node, x, node.reshape(indices, [-1]), own)
    # Indices count through the image that the kernel alone makes, which is smaller than the one that is asked for.
    places = node.reshape(indices, [-1])
    final = node.constant_input(2, "output_shape").tolist()
    coordinates, rest = [], places
    for step in np.cumprod([1, *own[:0:-1]])[::-1].tolist():
        length = node.scalar(step, rest)
        coordinates.append(node.emit("FloorDiv", rest, length))
        rest = node.emit("FloorMod", rest, length)
    steps = np.cumprod([1, *final[:0:-1]])[::-1].tolist()
    place = node.emit("MulFusion", coordinates[0], node.scalar(steps[0], places))
    for coordinate, step in zip(coordinates[1:], steps[1:], strict=True):
        place = node.emit("AddFusion", place, node.emit("MulFusion", coordinate, node.scalar(step, places)))
    return _unpooled(node, x, place, final)


def _unpooled(node: OnnxNode, x: Value, places: Value, shape: list[int]) -> Value:
    zeros = node.emit("Fill", node.scalar(0, x), node.ints([int(np.prod(shape))]))
    return node.reshape(node.emit("ScatterElements", zeros, places, node.reshape(x, [-1])), shape)


CONVERTERS: dict[str, Converter] = {
    "DepthToSpace": _depth_to_space,
    "LRN": _lrn,
    "MaxUnpool": _max_unpool,
    "SpaceToDepth": _space_to_depth,
}
