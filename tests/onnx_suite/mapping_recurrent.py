"""ONNX's LSTM and GRU."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from lite_delegate_kernels import Array

from .node import OnnxNode, Why

_DEFAULT_ACTIVATIONS = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"]}
_GATES = {"LSTM": 4, "GRU": 3}


def _check(node: OnnxNode) -> None:
    default = _DEFAULT_ACTIVATIONS[node.op_type]
    given = node.get("activations", default)
    node.refuse_unless(given in (default, default * 2), Why.ATTRIBUTE, f"activations {given}")
    for name in ("clip", "input_forget", "linear_before_reset"):
        node.refuse_unless(not node.get(name, 0), Why.ATTRIBUTE, name)


def _operands(node: OnnxNode, states: int) -> list[Array]:
    """x (T, B, I), W, R, the bias and the first states; those that are left out are zeros."""
    x = node.x(0).transpose(1, 0, 2) if node.get("layout", 0) else node.x(0)
    weight, state_weight, bias = node.x(1), node.x(2), node.optional(3)
    directions, hidden = weight.shape[0], state_weight.shape[2]
    if bias is None:
        bias = np.zeros((directions, 2 * _GATES[node.op_type] * hidden), x.dtype)
    if node.get("direction", "forward") == "reverse":
        x = node.run("ReverseV2", x, axis=[0])
    first = [node.optional(5 + i) for i in range(states)]
    turned = [s if s is None or not node.get("layout", 0) else s.transpose(1, 0, 2) for s in first]
    zeros = np.zeros((directions, x.shape[1], hidden), x.dtype)
    return [x, weight, state_weight, bias, *(zeros if s is None else s for s in turned)]


def _as_onnx(node: OnnxNode, outputs: Sequence[Array]) -> tuple[Array, ...]:
    """The outputs in ONNX's layout; a reverse direction is a forward one over the reversed sequence."""
    y, *states = outputs
    if node.get("direction", "forward") == "reverse":
        node.refuse_unless(node.optional(4) is None, Why.ATTRIBUTE, "direction reverse and sequence lengths")
        y = node.run("ReverseV2", y, axis=[0])
    if not node.get("layout", 0):
        return (y, *states)
    return (y.transpose(2, 0, 1, 3), *(s.transpose(1, 0, 2) for s in states))


def _lstm(node: OnnxNode) -> tuple[Array, ...]:
    _check(node)
    node.refuse_unless(node.optional(7) is None, Why.ATTRIBUTE, "peepholes")
    node.refuse_unless(node.optional(4) is None, Why.ATTRIBUTE, "sequence lengths")
    both = node.get("direction", "forward") == "bidirectional"
    return _as_onnx(node, node.run_all("LSTM", 3, *_operands(node, 2), bidirectional=both))


def _gru(node: OnnxNode) -> tuple[Array, ...]:
    _check(node)
    both = node.get("direction", "forward") == "bidirectional"
    return _as_onnx(node, node.run_all("GRU", 2, *_operands(node, 1), node.optional(4), bidirectional=both))


MAPPINGS: dict[str, Callable[[OnnxNode], tuple[Array, ...]]] = {"GRU": _gru, "LSTM": _lstm}
