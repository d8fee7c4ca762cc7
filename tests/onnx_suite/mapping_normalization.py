"""ONNX's normalisations and reductions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from lite_delegate_kernels import Array

from .node import OnnxNode, Outputs, Why, ints, number


def _channels_last(x: Array) -> Array:
    return np.ascontiguousarray(np.moveaxis(x, 1, -1))


def _batch_normalization(node: OnnxNode) -> Array:
    node.refuse_unless(not node.get("training_mode", 0), Why.TRAINING, "training_mode")
    x, *parameters = node.given()
    y = node.run("FusedBatchNorm", _channels_last(x), *parameters, epsilon=node.get("epsilon", 1e-5))
    return np.moveaxis(y, -1, 1)


def _instance_normalization(node: OnnxNode) -> Array:
    x, *parameters = node.given()
    y = node.run("InstanceNorm", _channels_last(x), *parameters, epsilon=node.get("epsilon", 1e-5))
    return np.moveaxis(y, -1, 1)


def _group_normalization(node: OnnxNode) -> Array:
    node.refuse_unless(node.opset >= 21, Why.SEMANTICS, "one scale per group")
    sizes = {"num_groups": node.get("num_groups", 1), "epsilon": node.get("epsilon", 1e-5)}
    return node.run("GroupNormFusion", node.x(0), node.x(1), node.x(2), **sizes)


def _layer_normalization(node: OnnxNode) -> Outputs:
    x, scale, bias = node.x(0), node.x(1), node.optional(2)
    axis, epsilon = node.get("axis", -1), node.get("epsilon", 1e-5)
    axis += x.ndim if axis < 0 else 0
    node.refuse_unless(scale.shape == x.shape[axis:], Why.SEMANTICS, "a scale that is broadcast")
    shift = np.zeros_like(scale) if bias is None else bias
    attributes = {"begin_norm_axis": axis, "begin_params_axis": axis, "epsilon": epsilon}
    if not node.wants(1) and not node.wants(2):
        return node.run("LayerNormFusion", x, scale, shift, **attributes)
    y, mean, variance = node.run_all("LayerNormFusion", 3, x, scale, shift, **attributes)
    shape = (*x.shape[:axis], *(1 for _ in x.shape[axis:]))
    deviation = node.run("Rsqrt", node.run("AddFusion", variance, number(epsilon, variance)))
    return y, mean.reshape(shape), deviation.reshape(shape)


def _lp_normalization(node: OnnxNode) -> Array:
    return node.run("LpNormalization", node.x(), axis=node.get("axis", -1), p=node.get("p", 2))


def _softmax(node: OnnxNode) -> Array:
    node.refuse_unless(node.opset >= 13, Why.SEMANTICS, "axes that are flattened first")
    return node.run("Softmax", node.x(), axis=[node.get("axis", -1)])


def _log_softmax(node: OnnxNode) -> Array:
    node.refuse_unless(node.opset >= 13, Why.SEMANTICS, "axes that are flattened first")
    return node.run("LogSoftmax", node.x(), axis=node.get("axis", -1))


def _reduce(node: OnnxNode, x: Array, mode: str) -> Array:
    given = node.optional(1)
    listed = node.get("axes", None) if given is None else given.reshape(-1).tolist()
    keep = bool(node.get("keepdims", 1))
    if not listed and node.get("noop_with_empty_axes", 0):
        return node.run("Depend", x)
    return node.run("ReduceFusion", x, ints(listed) if listed else None, mode=mode, keep_dims=keep)


def _reduction(mode: str) -> Callable[[OnnxNode], Array]:
    def reduce(node: OnnxNode) -> Array:
        elementwise = mode in ("ReduceSumSquare", "ReduceASum", "ReduceL2")
        noop = node.get("noop_with_empty_axes", 0) and (node.optional(1) is None or not node.x(1).size)
        node.refuse_unless(not (elementwise and noop), Why.ATTRIBUTE, "noop_with_empty_axes")
        return _reduce(node, node.x(), mode)

    return reduce


def _reduce_min(node: OnnxNode) -> Array:
    return _reduce(node, node.x(), "ReduceAll" if node.x().dtype == np.bool_ else "ReduceMin")


def _reduce_max(node: OnnxNode) -> Array:
    if node.x().dtype != np.bool_:
        return _reduce(node, node.x(), "ReduceMax")
    return node.run("LogicalNot", _reduce(node, node.run("LogicalNot", node.x()), "ReduceAll"))


def _reduce_log_sum(node: OnnxNode) -> Array:
    return node.run("Log", _reduce(node, node.x(), "ReduceSum"))


def _reduce_log_sum_exp(node: OnnxNode) -> Array:
    return node.run("Log", _reduce(node, node.run("ExpFusion", node.x()), "ReduceSum"))


MAPPINGS: dict[str, Callable[[OnnxNode], Outputs]] = {
    "BatchNormalization": _batch_normalization,
    "GroupNormalization": _group_normalization,
    "InstanceNormalization": _instance_normalization,
    "LayerNormalization": _layer_normalization,
    "LogSoftmax": _log_softmax,
    "LpNormalization": _lp_normalization,
    "ReduceL1": _reduction("ReduceASum"),
    "ReduceL2": _reduction("ReduceL2"),
    "ReduceLogSum": _reduce_log_sum,
    "ReduceLogSumExp": _reduce_log_sum_exp,
    "ReduceMax": _reduce_max,
    "ReduceMean": _reduction("ReduceMean"),
    "ReduceMin": _reduce_min,
    "ReduceProd": _reduction("ReduceProd"),
    "ReduceSum": _reduction("ReduceSum"),
    "ReduceSumSquare": _reduction("ReduceSumSquare"),
    "Softmax": _softmax,
}
