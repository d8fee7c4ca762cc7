"""ONNX's poolings and other operators on images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from lite_delegate_kernels import Array

from .node import OnnxNode, Why, ints, number
from .spatial import Pairs, check_two_spatial_axes, flat, from_nhwc, to_nhwc, two, window_pads


def _max_pool(node: OnnxNode) -> Array:
    node.refuse_unless(not node.wants(1), Why.OUTPUT, "the indices of the maxima")
    x, attributes, _ = _windows(node)
    if x.dtype.kind == "f":
        return from_nhwc(node.run("MaxPoolFusion", x, **attributes), node.x().ndim)
    # Bytes are whole numbers that float32 holds exactly.
    y = node.run("MaxPoolFusion", node.cast(x, "float32"), **attributes)
    return from_nhwc(node.cast(y, x.dtype.name), node.x().ndim)


def _average_pool(node: OnnxNode) -> Array:
    x, attributes, pads = _windows(node)
    if node.get("count_include_pad", 0) and any(flat(pads)):
        # Ours leaves padding out of the mean; zeros that are part of the image count.
        node.refuse_unless(not node.get("ceil_mode", 0), Why.ATTRIBUTE, "count_include_pad and ceil_mode")
        x = node.run("PadFusion", x, ints([0, 0, *flat(pads), 0, 0]))
        attributes["pad"] = [0, 0, 0, 0]
    return from_nhwc(node.run("AvgPoolFusion", x, **attributes), node.x().ndim)


def _lp_pool(node: OnnxNode) -> Array:
    """The p-th root of the sum of p-th powers: a mean times its number of elements, padding being part of the image."""
    node.refuse_unless(not node.get("ceil_mode", 0), Why.ATTRIBUTE, "ceil_mode")
    x, attributes, pads = _windows(node)
    p, count = float(node.get("p", 2)), float(prod(attributes["kernel_size"]))
    powers = node.run("PowFusion", node.run("Abs", x), number(p, x))
    padded = node.run("PadFusion", powers, ints([0, 0, *flat(pads), 0, 0]))
    means = node.run("AvgPoolFusion", padded, **{**attributes, "pad": [0, 0, 0, 0]})
    sums = node.run("MulFusion", means, number(count, means))
    return from_nhwc(node.run("PowFusion", sums, number(1 / p, sums)), node.x().ndim)


def _windows(node: OnnxNode) -> tuple[Array, dict[str, Any], Pairs]:
    """The image as NHWC, our attributes, and the pads."""
    check_two_spatial_axes(node)
    node.refuse_unless(set(node.get("dilations", [1])) == {1}, Why.ATTRIBUTE, "dilations")
    x = to_nhwc(node.x())
    kernel, strides = two(node.get("kernel_shape", []), 1), two(node.get("strides", [1, 1]), 1)[-2:]
    pads = window_pads(node, x.shape[1:3], kernel, strides)
    if node.get("ceil_mode", 0):
        _check_last_window(node, x.shape[1:3], kernel, strides, pads)
    attributes: dict[str, Any] = {
        "kernel_size": kernel,
        "strides": strides,
        "pad": flat(pads),
        "round_mode": "CEIL" if node.get("ceil_mode", 0) else "FLOOR",
    }
    return x, attributes, pads


def _check_last_window(
    node: OnnxNode, sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int], pads: Pairs
) -> None:
    """Raises Refused where ONNX drops a window that starts in the padding after the image and ours keeps it."""
    for size, k, stride, (before, after) in zip(sizes, kernel, strides, pads, strict=True):
        steps = -(-(size + before + after - k) // stride)
        node.refuse_unless(
            steps * stride < size + before, Why.SEMANTICS, "a last window that starts in the padding, which ONNX drops"
        )


def _global(op_type: str) -> Callable[[OnnxNode], Array]:
    def pool(node: OnnxNode) -> Array:
        x = node.x()
        image = x.reshape(*x.shape[:2], x.shape[2], -1)
        y = from_nhwc(node.run(op_type, to_nhwc(image), global_=True), 4)
        return y.reshape(*x.shape[:2], *(1 for _ in x.shape[2:]))

    return pool


def _lrn(node: OnnxNode) -> Array:
    size = node.get("size", 1)
    node.refuse_unless(size % 2, Why.ATTRIBUTE, f"even size {size}")
    y = node.run(
        "LRN",
        to_nhwc(node.x()),
        depth_radius=size // 2,
        alpha=node.get("alpha", 0.0001) / size,
        beta=node.get("beta", 0.75),
        bias=node.get("bias", 1.0),
    )
    return from_nhwc(y, node.x().ndim)


def _depth_to_space(node: OnnxNode) -> Array:
    x = to_nhwc(node.x())
    return from_nhwc(node.run("DepthToSpace", x, block_size=node.get("blocksize", 1), mode=node.get("mode", "DCR")), 4)


def _space_to_depth(node: OnnxNode) -> Array:
    mode = node.get("mode", "DCR")
    node.refuse_unless(mode == "DCR", Why.ATTRIBUTE, f"mode {mode}")
    return from_nhwc(node.run("SpaceToDepth", to_nhwc(node.x()), block_size=node.get("blocksize", 1), format="NHWC"), 4)


MAPPINGS: dict[str, Callable[[OnnxNode], Array]] = {
    "AveragePool": _average_pool,
    "DepthToSpace": _depth_to_space,
    "GlobalAveragePool": _global("AvgPoolFusion"),
    "GlobalMaxPool": _global("MaxPoolFusion"),
    "LRN": _lrn,
    "LpPool": _lp_pool,
    "MaxPool": _max_pool,
    "SpaceToDepth": _space_to_depth,
}
