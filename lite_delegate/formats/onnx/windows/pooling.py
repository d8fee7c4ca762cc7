"""Pools that the schema does not have: volumes, dilations, positions of maxima, windows that start in the padding."""

from __future__ import annotations

from math import prod

import numpy as np
from lite_delegate_kernels import UNKNOWN, Array

from ....ir import Value
from ...rejection import Why
from ..conversion import OnnxNode
from .gathering import Windows, check_size, gathered


def is_plain(node: OnnxNode) -> bool:
    """True where our pools have the node's windows: one or two axes, no dilations, none that starts in the padding."""
    rank = node.rank(node.x())
    if rank not in (3, 4) or any(d != 1 for d in node.get("dilations", None) or [1]):
        return False
    if not node.get("ceil_mode", 0):
        return True
    if UNKNOWN in node.dims(node.x())[2:]:
        node.reject(Why.SHAPE, f"ceil_mode needs known image sizes, found {list(node.dims(node.x()))}")
    windows = _windows(node)
    room = zip(windows.sizes, windows.before, windows.after, windows.kernel, windows.strides, strict=True)
    steps = [-(-(n + b + a - k) // s) + 1 for n, b, a, k, s in room]
    return steps == list(windows.outs)


def _windows(node: OnnxNode) -> Windows:
    """The node's windows, by the formulas of ONNX's pools."""
    sizes = node.shape(node.x())[2:]
    count = len(sizes)
    kernel = node.get("kernel_shape", [])
    strides, dilations = (node.get(name, None) or [1] * count for name in ("strides", "dilations"))
    pads = node.get("pads", None) or [0] * 2 * count
    mode = node.get("auto_pad", "NOTSET")
    extents = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    if mode.startswith("SAME"):
        totals = [max(0, (-(-n // s) - 1) * s + e - n) for n, s, e in zip(sizes, strides, extents, strict=True)]
        smaller, larger = [t // 2 for t in totals], [t - t // 2 for t in totals]
        pads = [*smaller, *larger] if mode == "SAME_UPPER" else [*larger, *smaller]
    elif mode == "VALID":
        pads = [0] * 2 * count
    before, after = pads[:count], pads[count:]
    outs = []
    for n, s, e, b, a in zip(sizes, strides, extents, before, after, strict=True):
        room = n + b + a - e
        out = (-(-room // s) if node.get("ceil_mode", 0) else room // s) + 1
        # ONNX drops a last window that starts in the padding after the image.
        outs.append(out - 1 if node.get("ceil_mode", 0) and (out - 1) * s >= n + b else out)
    return Windows(*(tuple(v) for v in (sizes, kernel, strides, dilations, before, outs, after)))


def _gathered_windows(node: OnnxNode) -> Windows:
    windows = _windows(node)
    check_size(node, windows)
    return windows


def _shaped(node: OnnxNode, y: Value, windows: Windows) -> Value:
    return node.reshape(y, [0, 0, *windows.outs])


def max_of_windows(node: OnnxNode) -> list[Value | None]:
    """The maxima, and the places of the first of them as ONNX counts: through the whole input."""
    windows, x = _gathered_windows(node), node.x()
    dtype = node.dtype(x)
    lowest = float(np.finfo(dtype).min) if dtype.kind == "f" else int(np.iinfo(dtype).min)
    elements = gathered(node, x, windows, lowest)
    best = node.emit("ReduceFusion", elements, node.ints([3]), mode="ReduceMax", keep_dims=False)
    y = _shaped(node, best, windows)
    return [y, _places(node, elements, windows) if node.wants(1) else None]


def _places(node: OnnxNode, elements: Value, windows: Windows) -> Value:
    batch, channels = node.shape(node.x())[:2]
    node.check_table(batch, channels, prod(windows.outs), prod(windows.kernel))
    indices = windows.indices().astype(np.int64)
    chosen = node.emit("ArgMaxFusion", elements, axis=3, top_k=1, keep_dims=True)
    table = np.ascontiguousarray(np.broadcast_to(_order(node, indices, windows), (batch, channels, *indices.shape)))
    found = node.emit("GatherD", node.constant(table, "places"), node.axis_operand(3), chosen)
    images = np.arange(batch * channels, dtype=np.int64).reshape(batch, channels, 1, 1) * prod(windows.sizes)
    return _shaped(node, node.emit("AddFusion", found, node.constant(images, "images")), windows)


def _order(node: OnnxNode, indices: Array, windows: Windows) -> Array:
    """Row after row, or with ``storage_order`` column after column."""
    if not node.get("storage_order", 0):
        return indices
    outside = indices == prod(windows.sizes)
    coordinates = np.unravel_index(np.where(outside, 0, indices), windows.sizes)
    return np.ravel_multi_index(coordinates[::-1], windows.sizes[::-1])


def mean_of_windows(node: OnnxNode, counts_padding: bool) -> Value:
    """The means of a window's elements in the image, or in the image and its padding."""
    windows, x = _gathered_windows(node), node.x()
    inside = (windows.indices() < prod(windows.sizes)).sum(axis=1)
    counts = windows.counted() if counts_padding else inside
    node.reject_unless(counts.min() > 0, Why.ATTRIBUTE, "a window without any element")
    elements = gathered(node, x, windows, 0.0)
    sums = node.emit("ReduceFusion", elements, node.ints([3]), mode="ReduceSum", keep_dims=False)
    means = node.emit("DivFusion", sums, node.constant(counts.astype(node.dtype(x)), "counts"))
    return _shaped(node, means, windows)


def norm_of_windows(node: OnnxNode) -> Value:
    """The p-th roots of the sums of p-th powers."""
    windows, x = _gathered_windows(node), node.x()
    p = float(node.get("p", 2))
    powers = node.emit("PowFusion", node.emit("Abs", x), node.scalar(p, x))
    elements = gathered(node, powers, windows, 0.0)
    sums = node.emit("ReduceFusion", elements, node.ints([3]), mode="ReduceSum", keep_dims=False)
    return _shaped(node, node.emit("PowFusion", sums, node.scalar(1 / p, sums)), windows)
