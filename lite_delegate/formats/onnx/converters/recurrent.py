"""ONNX's LSTM, GRU and RNN: the kernels where they do what is asked for, else loops over plain operators."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....ir import Value
from ...rejection import Why
from ..conversion import Converter, OnnxNode, Outputs
from ..recurrent.activations import activations_of
from ..recurrent.cells import Cell, CellOptions, gru_cell, lstm_cell, rnn_cell
from ..recurrent.loop import by_loop
from ..recurrent.operands import Recurrent, operands, placed

_LSTM, _GRU, _RNN = ["Sigmoid", "Tanh", "Tanh"], ["Sigmoid", "Tanh"], ["Tanh"]
_KERNEL_DTYPES = ("float32", "float16")


def _lstm(node: OnnxNode) -> Outputs:
    given = operands(node, 4, 2)
    options, peephole = _options(given, _LSTM), node.optional(7)
    own = peephole is None and given.lengths is None and not node.get("input_forget", 0)
    if own and _is_plain(given, options, _LSTM):
        return _by_kernel(given, "LSTM")
    return _looped(given, lstm_cell, options, peephole)


def _gru(node: OnnxNode) -> Outputs:
    given = operands(node, 3, 1)
    options = _options(given, _GRU)
    # The kernel goes backwards in a second direction only; turning the input around fits sequences of one length.
    turned = given.lengths is not None and given.backward == [True]
    if not turned and not node.get("linear_before_reset", 0) and _is_plain(given, options, _GRU):
        return _by_kernel(given, "GRU")
    return _looped(given, gru_cell, options, None)


def _rnn(node: OnnxNode) -> Outputs:
    given = operands(node, 1, 1)
    return _looped(given, rnn_cell, _options(given, _RNN), None)


def _looped(given: Recurrent, cell: Cell, options: Sequence[CellOptions], peephole: Value | None) -> Outputs:
    y, *states = by_loop(given, cell, options, peephole)
    return placed(given.node, y, states)


def _options(given: Recurrent, default: Sequence[str]) -> list[CellOptions]:
    """For each direction how its cell computes."""
    node, count = given.node, len(given.backward)
    found = activations_of(node, [*default] * count)
    node.reject_unless(
        len(found) == len(default) * count,
        Why.ATTRIBUTE,
        f"activations must be {len(default) * count}, found {len(found)}",
    )
    clip, input_forget = float(node.get("clip", 0.0)), bool(node.get("input_forget", 0))
    reset_after = bool(node.get("linear_before_reset", 0))
    node.reject_unless(clip >= 0, Why.ATTRIBUTE, f"clip must be >= 0, found {clip}")
    each = [found[i : i + len(default)] for i in range(0, len(found), len(default))]
    return [CellOptions(own, clip, input_forget, reset_after, given.hidden) for own in each]


def _is_plain(given: Recurrent, options: Sequence[CellOptions], default: Sequence[str]) -> bool:
    """True where the kernels compute it: their own activations, no clipping, their dtypes."""
    plain = [name.lower() for name in default]
    named = all([a.name for a in own.activations] == plain and own.clip == 0 for own in options)
    return named and given.node.dtype(given.x).name in _KERNEL_DTYPES


def _by_kernel(given: Recurrent, op_type: str) -> list[Value]:
    node, turned = given.node, given.backward == [True]
    bias = given.bias
    if bias is None:
        zeros = np.zeros((len(given.backward), 2 * given.gates * given.hidden), node.dtype(given.x))
        bias = node.constant(zeros, "bias")
    first = [given.first_state(i) for i in range(len(given.states))]
    x = node.emit("ReverseV2", given.x, axis=[0]) if turned else given.x
    inputs = [x, given.weight, given.state_weight, bias, *first]
    if given.lengths is not None:
        inputs.append(given.lengths)
    y, *states = node.emit_all(op_type, 1 + len(first), *inputs, bidirectional=len(given.backward) == 2)
    return placed(node, node.emit("ReverseV2", y, axis=[0]) if turned else y, states)


CONVERTERS: dict[str, Converter] = {"GRU": _gru, "LSTM": _lstm, "RNN": _rnn}
