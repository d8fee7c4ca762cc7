"""ONNX's poolings and resizing: windows and samples of images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from .node import OnnxNode, Why, ints
from .spatial import Pairs, check_two_spatial_axes, flat, from_nhwc, to_nhwc, two, window_pads


def _max_pool(node: OnnxNode) -> Array:
    node.refuse_unless(not node.wants(1), Why.OUTPUT, "the indices of the maxima")
    x, attributes, _ = _windows(node)
    return from_nhwc(node.run("MaxPoolFusion", x, **attributes), node.x().ndim)


def _average_pool(node: OnnxNode) -> Array:
    x, attributes, pads = _windows(node)
    if node.get("count_include_pad", 0) and any(flat(pads)):
        # Ours leaves padding out of the mean; zeros that are part of the image count.
        node.refuse_unless(not node.get("ceil_mode", 0), Why.ATTRIBUTE, "count_include_pad and ceil_mode")
        x = node.run("PadFusion", x, ints([0, 0, *flat(pads), 0, 0]))
        attributes["pad"] = [0, 0, 0, 0]
    return from_nhwc(node.run("AvgPoolFusion", x, **attributes), node.x().ndim)


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


_METHODS = {"nearest": "NEAREST", "linear": "LINEAR", "cubic": "CUBIC"}
_COORDINATES = {"asymmetric": "ASYMMETRIC", "align_corners": "ALIGN_CORNERS", "half_pixel": "HALF_PIXEL"}
_ROUNDINGS = {"ASYMMETRIC": "floor", "ALIGN_CORNERS": "round_prefer_ceil"}


def _resize(node: OnnxNode) -> Array:
    x = node.x()
    node.refuse_unless(x.ndim == 4, Why.RANK, f"rank {x.ndim}")
    for name in ("antialias", "exclude_outside"):
        node.refuse_unless(not node.get(name, 0), Why.ATTRIBUTE, name)
    policy = node.get("keep_aspect_ratio_policy", "stretch")
    node.refuse_unless(policy == "stretch", Why.ATTRIBUTE, f"keep_aspect_ratio_policy {policy}")
    mode = node.get("coordinate_transformation_mode", "half_pixel")
    node.refuse_unless(mode in _COORDINATES, Why.ATTRIBUTE, f"coordinate_transformation_mode {mode}")
    method, coordinates = _METHODS[node.get("mode", "nearest")], _COORDINATES[mode]
    rounding = node.get("nearest_mode", "round_prefer_floor")
    if method == "NEAREST":
        agree = _ROUNDINGS.get(coordinates) == rounding
        node.refuse_unless(agree, Why.SEMANTICS, f"nearest_mode {rounding} of {mode} coordinates")
    cut_off = method == "CUBIC" and coordinates == "HALF_PIXEL"
    node.refuse_unless(not cut_off, Why.SEMANTICS, "cubic half_pixel, where the format cuts coordinates off at 0")
    height, width = _out_sizes(node)
    y = node.run(
        "Resize",
        to_nhwc(x),
        method=method,
        coordinate_transform_mode=coordinates,
        cubic_coeff=node.get("cubic_coeff_a", -0.75),
        new_height=height,
        new_width=width,
    )
    return from_nhwc(y, 4)


def _out_sizes(node: OnnxNode) -> tuple[int, int]:
    """Height and width; the scale that ours works out from them must be the one that ONNX is given."""
    x, scales, sizes = node.x(), node.optional(2), node.optional(3)
    axes = [a % 4 for a in node.get("axes", range(4))]
    out = list(x.shape)
    if sizes is not None and sizes.size:
        out = [int(dict(zip(axes, sizes, strict=True)).get(a, n)) for a, n in enumerate(out)]
    else:
        assert scales is not None
        given = dict(zip(axes, scales, strict=True))
        exact = [float(given.get(a, 1)) * n for a, n in enumerate(out)]
        out = [int(np.floor(e)) for e in exact]
        whole = all(e == n for e, n in zip(exact, out, strict=True))
        node.refuse_unless(whole, Why.SEMANTICS, "scales that are not the ratio of the sizes")
    node.refuse_unless(tuple(out[:2]) == x.shape[:2], Why.RANK, "a resized batch or channel axis")
    return out[2], out[3]


def _upsample(node: OnnxNode) -> Array:
    x = node.x()
    node.refuse_unless(node.get("mode", "nearest") == "nearest", Why.ATTRIBUTE, "mode linear")
    scales = [int(s) for s in node.x(1)]
    sizes = {"new_height": x.shape[2] * scales[2], "new_width": x.shape[3] * scales[3]}
    return from_nhwc(node.run("Resize", to_nhwc(x), method="NEAREST", **sizes), 4)


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
    "MaxPool": _max_pool,
    "Resize": _resize,
    "SpaceToDepth": _space_to_depth,
    "Upsample": _upsample,
}
