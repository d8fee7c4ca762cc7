"""Recurrent cells over sequences; OpenVINO has the batch first, and other orders of gates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .call import Call
from .operator import INDICES, Operator

LSTM_GATES = (2, 0, 3, 1)
"""Places of OpenVINO's gates f, i, c, o among ONNX's i, o, f, c."""
GRU_GATES = (0, 1, 2)
BATCH_FIRST = (1, 0, 2)
X, WEIGHT, STATE_WEIGHT, BIAS, LENGTHS, STATE, CELL = range(7)


def write_lstm(call: Call) -> list[Any]:
    """All hidden states (steps, directions, batch, hidden); the last ones and cells (directions, batch, hidden)."""
    from openvino import opset16

    states = [_transposed(call.term(place).handle, BATCH_FIRST) for place in (STATE, CELL)]
    weights = [_gates(call, place, LSTM_GATES) for place in (WEIGHT, STATE_WEIGHT)]
    node = opset16.lstm_sequence(
        _transposed(call.term(X).handle, BATCH_FIRST),
        *states,
        _lengths(call),
        *weights,
        _bias(call, LSTM_GATES),
        call.integer("hidden_size", 1),
        call.text("direction", "forward"),
    )
    return _outputs(call, node)


def write_gru(call: Call) -> list[Any]:
    """All hidden states (steps, directions, batch, hidden), and the last ones (directions, batch, hidden)."""
    from openvino import opset16

    node = opset16.gru_sequence(
        _transposed(call.term(X).handle, BATCH_FIRST),
        _transposed(call.term(STATE).handle, BATCH_FIRST),
        _lengths(call),
        call.term(WEIGHT).handle,
        call.term(STATE_WEIGHT).handle,
        _bias(call, GRU_GATES),
        call.integer("hidden_size", 1),
        call.text("direction", "forward"),
    )
    return _outputs(call, node)


def _transposed(handle: Any, order: Sequence[int]) -> Any:
    from openvino import opset16

    return opset16.transpose(handle, np.array(order, np.int64)).output(0)


def _lengths(call: Call) -> Any:
    if call.has(LENGTHS):
        return call.term(LENGTHS).handle
    steps, batch = call.term(X).shape[:2]
    return np.full(batch, steps, np.int32)


def _split(handle: Any, axis: int, parts: int) -> list[Any]:
    from openvino import opset16

    node = opset16.split(handle, np.array(axis, np.int64), parts)
    return [node.output(number) for number in range(parts)]


def _gates(call: Call, place: int, gates: Sequence[int]) -> Any:
    """A weight (directions, gates * hidden, n) with its gates in OpenVINO's order."""
    from openvino import opset16

    parts = _split(call.term(place).handle, 1, len(gates))
    return opset16.concat([parts[gate] for gate in gates], 1).output(0)


def _bias(call: Call, gates: Sequence[int]) -> Any:
    """The sum of the two biases (directions, 2 * gates * hidden) that ONNX has, gates in OpenVINO's order."""
    from openvino import opset16

    parts = _split(call.term(BIAS).handle, 1, 2 * len(gates))
    sums = [opset16.add(parts[gate], parts[gate + len(gates)]).output(0) for gate in gates]
    return opset16.concat(sums, 1).output(0)


def _outputs(call: Call, node: Any) -> list[Any]:
    """OpenVINO's (batch, directions, steps, hidden) and (batch, directions, hidden) with ONNX's axes."""
    orders = ((2, 1, 0, 3), BATCH_FIRST, BATCH_FIRST)[: len(call.results)]
    return [_transposed(node.output(number), order) for number, order in enumerate(orders)]


OPERATORS = {
    "LSTM": Operator(write_lstm, at={LENGTHS: INDICES}),
    "GRU": Operator(write_gru, at={LENGTHS: INDICES}),
}
