"""ONNX's normalizations and softmax."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from lite_delegate_kernels import UNKNOWN

from ....ir import Value
from ...rejection import Why
from ..conversion import Converter, OnnxNode, Outputs, UseFunctionBody


def channels_last(node: OnnxNode, x: Value) -> Value:
    """(N, C, ...) as (N, ..., C)."""
    rank = node.rank(x)
    return node.transpose(x, [0, *range(2, rank), 1]) if rank > 2 else x


def channels_second(node: OnnxNode, y: Value) -> Value:
    """The way back."""
    rank = node.rank(y)
    return node.transpose(y, [0, rank - 1, *range(1, rank - 1)]) if rank > 2 else y


def _batch_normalization(node: OnnxNode) -> Value:
    node.reject_unless(not node.get("training_mode", 0), Why.ATTRIBUTE, "training_mode must be 0")
    node.reject_unless(node.get("spatial", 1), Why.ATTRIBUTE, "spatial must be 1")
    extra = [i for i in range(1, len(node.proto.output)) if node.wants(i)]
    node.reject_unless(not extra, Why.ATTRIBUTE, "the outputs of training have no counterpart")
    x, *parameters = (node.x(i) for i in range(5))
    wide = [node.cast(p, node.dtype(x)) for p in parameters]
    if node.rank(x) == 1:
        y = node.emit("FusedBatchNorm", node.unsqueeze(x, [1]), *wide, epsilon=node.get("epsilon", 1e-5))
        return node.squeeze(y, [1])
    y = node.emit("FusedBatchNorm", channels_last(node, x), *wide, epsilon=node.get("epsilon", 1e-5))
    return channels_second(node, y)


def _instance_normalization(node: OnnxNode) -> Value:
    x, scale, bias = (node.x(i) for i in range(3))
    y = node.emit("InstanceNorm", channels_last(node, x), scale, bias, epsilon=node.get("epsilon", 1e-5))
    return channels_second(node, y)


def _group_normalization(node: OnnxNode) -> Value:
    if node.opset < 21:
        raise UseFunctionBody("one scale per group")
    sizes = {"num_groups": node.get("num_groups", 1), "epsilon": node.get("epsilon", 1e-5)}
    return node.emit("GroupNormFusion", node.x(0), node.x(1), node.x(2), **sizes)


def _layer_normalization(node: OnnxNode) -> Outputs:
    x, scale, bias = node.x(0), node.x(1), node.optional(2)
    dims, epsilon = node.dims(x), node.get("epsilon", 1e-5)
    axis = node.axis(node.get("axis", -1), len(dims))
    own = node.spec(scale).shape
    if own != dims[axis:] or UNKNOWN in dims[axis:]:
        raise UseFunctionBody("a scale that is broadcast")
    zeros = node.constant(np.zeros(own, node.dtype(scale)), "no_bias") if bias is None else bias
    attributes = {"begin_norm_axis": axis, "begin_params_axis": axis, "epsilon": epsilon, "elementwise_affine": True}
    if not node.wants(1) and not node.wants(2):
        return node.emit("LayerNormFusion", x, scale, zeros, **attributes)
    y, mean, variance = node.emit_all("LayerNormFusion", 3, x, scale, zeros, **attributes)
    ones = [1] * (len(dims) - axis)
    deviation = node.emit("Rsqrt", node.emit("AddFusion", variance, node.scalar(epsilon, variance)))
    return y, *(node.reshape(part, [*([0] * axis), *ones]) for part in (mean, deviation))


def _lp_normalization(node: OnnxNode) -> Value:
    return node.emit("LpNormalization", node.x(), axis=node.get("axis", -1), p=node.get("p", 2))


def _softmax(node: OnnxNode) -> Value:
    return _along_axis(node, lambda x, axis: node.emit("Softmax", x, axis=[axis]))


def _log_softmax(node: OnnxNode) -> Value:
    return _along_axis(node, lambda x, axis: node.emit("LogSoftmax", x, axis=axis))


def _hardmax(node: OnnxNode) -> Value:
    def hardmax(x: Value, axis: int) -> Value:
        place = node.emit("ArgMaxFusion", x, axis=axis, top_k=1)
        depth = node.emit("Gather", node.emit("Shape", x), node.ints([axis % node.rank(x)]), node.ints([0]))
        ones, zeros = (node.builder.small_constant(np.full(1, n, node.dtype(x))) for n in (1, 0))
        return node.emit("OneHot", place, depth, ones, zeros, axis=axis)

    return _along_axis(node, hardmax)


def _along_axis(node: OnnxNode, apply: Callable[[Value, int], Value]) -> Value:
    """Before version 13 everything from the axis on is one dimension."""
    x = node.x()
    if node.opset >= 13:
        return apply(x, node.get("axis", -1))
    rank = node.rank(x)
    axis = node.axis(node.get("axis", 1), rank)
    if axis == rank - 1:
        return apply(x, axis)
    flat = apply(node.emit("Flatten", x, axis=axis), 1)
    return node.emit("Reshape", flat, node.emit("Shape", x))


CONVERTERS: dict[str, Converter] = {
    "BatchNormalization": _batch_normalization,
    "GroupNormalization": _group_normalization,
    "Hardmax": _hardmax,
    "InstanceNormalization": _instance_normalization,
    "LayerNormalization": _layer_normalization,
    "LogSoftmax": _log_softmax,
    "LpNormalization": _lp_normalization,
    "Softmax": _softmax,
}
