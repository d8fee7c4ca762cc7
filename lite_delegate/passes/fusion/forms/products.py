"""Factors and offsets of channels in the weights of convolutions and matrix products."""

from __future__ import annotations

import numpy as np

from ....ir import Node, Value, constant
from ....ir.traits import traits_of
from ...framework.draft import Array, Draft
from .channels import Channels

PRODUCTS = frozenset({"Conv2DFusion", "Conv2dTransposeFusion", "FullConnection", "MatMulFusion", "ScaleFusion"})
"""Operators that multiply by constants, and have a bias for each channel of their result."""
RANKS = {"Conv2DFusion": 4, "Conv2dTransposeFusion": 4, "FullConnection": 2}
"""The dimensions of weights that have a fixed number of them."""


def scaled(node: Node, channels: Channels, draft: Draft) -> list[Value | None] | None:
    """The inputs of a product that applies the affine map behind it as well; None where the product cannot.

    Args:
        node: one of ``PRODUCTS``.
        channels: the affine map of the channels behind the product.
        draft: the graph.
    """
    weight = draft.constant(node.inputs[1])
    bias = draft.constant(node.inputs[2]) if len(node.inputs) > 2 and node.inputs[2] is not None else None
    if weight is None or weight.dtype.kind != "f" or (bias is None and any(v is not None for v in node.inputs[2:])):
        return None
    count = _channel_count(node, weight)
    if count is None or any(n.size not in (1, count) for n in (channels.factor, channels.offset) if n is not None):
        return None
    value = node.inputs[1]
    if channels.factor is not None:
        value = _scaled_weight(node, weight, np.broadcast_to(channels.factor, (count,)), draft)
    dtype = weight.dtype if bias is None else bias.dtype
    offset = np.broadcast_to(channels.offset, (count,))
    with np.errstate(all="ignore"):
        moved = offset if bias is None else _moved(bias, channels.factor, offset)
        new_bias = np.ascontiguousarray(moved).astype(dtype)
    if value is None or not np.isfinite(new_bias).all():
        return None
    named = node.inputs[2].name if bias is not None and node.inputs[2] is not None else f"{node.name}/bias"
    return [node.inputs[0], value, constant(named, new_bias)]


def _moved(bias: Array, factor: Array | None, offset: Array) -> Array:
    scaled_bias = bias.reshape(-1).astype(np.float64) * (1.0 if factor is None else factor)
    return np.asarray(scaled_bias + offset)


def _channel_count(node: Node, weight: Array) -> int | None:
    attributes = node.primitive.attributes()
    if node.op_type == "ScaleFusion":
        rank = len(node.outputs[0].shape or ())
        return weight.size if weight.ndim == 1 and attributes["axis"] in (-1, rank - 1) else None
    if node.op_type == "MatMulFusion":
        fits = weight.ndim >= 2 and node.outputs[0].shape != ()
    else:
        fits = weight.ndim == RANKS[node.op_type]
    if not fits:
        return None
    count = int(weight.shape[_channel_axis(node)])
    if node.op_type != "Conv2dTransposeFusion":
        return count
    return int(attributes["group"] * count) if attributes["group"] > 0 else None


def _channel_axis(node: Node) -> int:
    """The axis of the result's channels in the weight; of a scale the only one."""
    if node.op_type == "MatMulFusion" and node.primitive.attributes()["transpose_b"]:
        return -2
    axis = traits_of(node.op_type).weight_axis
    return -1 if axis is None else axis


def _scaled_weight(node: Node, weight: Array, factor: Array, draft: Draft) -> Value | None:
    old = node.inputs[1]
    if old is None or draft.readers(old) != [node]:
        return None
    scaled = np.empty(weight.shape, weight.dtype)
    with np.errstate(all="ignore"):
        np.multiply(weight, _laid_out(node, weight, factor), out=scaled, dtype=np.float64, casting="unsafe")
    return constant(old.name, scaled, old.format) if np.isfinite(scaled).all() else None


def _laid_out(node: Node, weight: Array, factor: Array) -> Array:
    """One factor for each channel of the result, in a shape that stretches over the weight."""
    if node.op_type != "Conv2dTransposeFusion":
        shape = [1] * weight.ndim
        shape[_channel_axis(node)] = -1
        return factor.reshape(shape)
    groups = node.primitive.attributes()["group"]
    rows = np.repeat(factor.reshape(groups, -1), weight.shape[0] // groups, axis=0)
    return rows.reshape(weight.shape[0], 1, 1, weight.shape[3])
