"""ONNX's poolings."""

from __future__ import annotations

from math import prod
from typing import Any

from ....ir import Value
from ..conversion import Converter, OnnxNode, Outputs
from ..quantization import on_real_numbers
from ..windows.pooling import is_plain, max_of_windows, mean_of_windows, norm_of_windows
from ..windows.spatial import IntPairs, flat, from_nhwc, per_axis, to_nhwc, window_pads


def _max_pool(node: OnnxNode) -> Outputs:
    if not is_plain(node) or node.wants(1):
        return max_of_windows(node)
    x, attributes, _ = _windows(node)
    rank, dtype = node.rank(node.x()), node.dtype(x)
    if dtype.kind == "f":
        return from_nhwc(node, node.emit("MaxPoolFusion", x, **attributes), rank)
    if len(x.quant_params) == 1 and dtype.name in ("int8", "uint8"):
        y = on_real_numbers(node, x, lambda real: node.emit("MaxPoolFusion", real, **attributes))
        return from_nhwc(node, y, rank)
    # Bytes are whole numbers that float32 holds exactly.
    y = node.emit("MaxPoolFusion", node.cast(x, "float32"), **attributes)
    return from_nhwc(node, node.cast(y, dtype), rank)


def _average_pool(node: OnnxNode) -> Value:
    counts_padding = bool(node.get("count_include_pad", 0))
    if not is_plain(node) or (counts_padding and node.get("ceil_mode", 0)):
        return mean_of_windows(node, counts_padding)
    x, attributes, pads = _windows(node)
    if counts_padding and any(flat(pads)):
        # Ours leaves padding out of the mean; zeros that are part of the image count.
        x = node.emit("PadFusion", x, node.ints([0, 0, *flat(pads), 0, 0]))
        attributes["pad"] = [0, 0, 0, 0]
    return from_nhwc(node, node.emit("AvgPoolFusion", x, **attributes), node.rank(node.x()))


def _lp_pool(node: OnnxNode) -> Value:
    """The p-th root of the sum of p-th powers: a mean times its number of elements, padding being part of the image."""
    if not is_plain(node) or node.get("ceil_mode", 0):
        return norm_of_windows(node)
    x, attributes, pads = _windows(node)
    p, count = float(node.get("p", 2)), float(prod(attributes["kernel_size"]))
    powers = node.emit("PowFusion", node.emit("Abs", x), node.scalar(p, x))
    padded = node.emit("PadFusion", powers, node.ints([0, 0, *flat(pads), 0, 0]))
    means = node.emit("AvgPoolFusion", padded, **{**attributes, "pad": [0, 0, 0, 0]})
    sums = node.emit("MulFusion", means, node.scalar(count, means))
    return from_nhwc(node, node.emit("PowFusion", sums, node.scalar(1 / p, sums)), node.rank(node.x()))


def _windows(node: OnnxNode) -> tuple[Value, dict[str, Any], IntPairs]:
    """The image as NHWC, our attributes, and the pads."""
    x = to_nhwc(node, node.x())
    kernel, strides = per_axis(node, "kernel_shape", 1), per_axis(node, "strides", 1)
    pads = window_pads(node, node.dims(x)[1:3], kernel, strides)
    attributes: dict[str, Any] = {
        "kernel_size": kernel,
        "strides": strides,
        "pad": flat(pads),
        "pad_mode": "PAD",
        "round_mode": "CEIL" if node.get("ceil_mode", 0) else "FLOOR",
        "format": "NHWC",
    }
    return x, attributes, pads


def _global(op_type: str) -> Converter:
    """A pool over everything but batch and channels, whatever the number of axes."""

    def pool(node: OnnxNode) -> Value:
        x, rank = node.x(), node.rank(node.x())
        image = x if rank in (3, 4) else node.reshape(x, [0, 0, 0, -1] if rank > 4 else [0, 0, 1, 1])
        image_rank = 3 if rank == 3 else 4
        y = node.emit(op_type, to_nhwc(node, image), global_=True, format="NHWC")
        pooled = from_nhwc(node, y, image_rank)
        return pooled if rank in (3, 4) else node.reshape(pooled, [0, 0, *(1 for _ in range(rank - 2))])

    return pool


CONVERTERS: dict[str, Converter] = {
    "AveragePool": _average_pool,
    "GlobalAveragePool": _global("AvgPoolFusion"),
    "GlobalMaxPool": _global("MaxPoolFusion"),
    "LpPool": _lp_pool,
    "MaxPool": _max_pool,
}
