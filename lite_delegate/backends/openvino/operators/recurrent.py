"""Recurrent cells over sequences. OpenVINO has the batch first, and other orders of gates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....delegate import RejectCode
from ...lowering import Attributes, NotLowered, Spec, Term
from .call import OperatorCall
from .operator import INDICES, OnnxOperator

LSTM_GATES = (2, 0, 3, 1)
"""Places of OpenVINO's gates f, i, c, o among ONNX's i, o, f, c."""
GRU_GATES = (0, 1, 2)
RNN_GATES = (0,)
BATCH_FIRST = (1, 0, 2)
X, WEIGHT, STATE_WEIGHT, BIAS, LENGTHS, STATE, CELL, PEEPHOLES = range(8)
ACTIVATIONS = ("relu", "sigmoid", "tanh")


def write_lstm(call: OperatorCall) -> list[Any]:
    """All hidden states (steps, directions, batch, hidden); the last ones and cells (directions, batch, hidden)."""
    from openvino import opset16

    weights = [_gates(call, place, LSTM_GATES) for place in (WEIGHT, STATE_WEIGHT)]
    states = [_state(call, place) for place in (STATE, CELL)]
    node = opset16.lstm_sequence(
        _x(call), *states, _lengths(call), *weights, _bias(call, LSTM_GATES), *_sizes(call), **_options(call)
    )
    return _outputs(call, node)


def write_gru(call: OperatorCall) -> list[Any]:
    """All hidden states (steps, directions, batch, hidden), and the last ones (directions, batch, hidden)."""
    from openvino import opset16

    reset_after = bool(call.integer("linear_before_reset", 0))
    bias = _bias(call, GRU_GATES, apart=GRU_GATES[-1:] if reset_after else ())
    weights = [call.term(place).handle for place in (WEIGHT, STATE_WEIGHT)]
    node = opset16.gru_sequence(
        _x(call),
        _state(call, STATE),
        _lengths(call),
        *weights,
        bias,
        *_sizes(call),
        linear_before_reset=reset_after,
        **_options(call),
    )
    return _outputs(call, node)


def write_rnn(call: OperatorCall) -> list[Any]:
    """All hidden states (steps, directions, batch, hidden), and the last ones (directions, batch, hidden)."""
    from openvino import opset16

    weights = [call.term(place).handle for place in (WEIGHT, STATE_WEIGHT)]
    node = opset16.rnn_sequence(
        _x(call), _state(call, STATE), _lengths(call), *weights, _bias(call, RNN_GATES), *_sizes(call), **_options(call)
    )
    return _outputs(call, node)


def check(operands: Sequence[Term | None], _: Sequence[Spec], attributes: Attributes) -> None:
    """Rejects features that OpenVINO's cells lack: peepholes, coupled gates, most activations."""
    if len(operands) > PEEPHOLES and operands[PEEPHOLES] is not None:
        raise NotLowered(RejectCode.OPERATOR, "OpenVINO's LSTM has no peepholes")
    if attributes.get("input_forget", 0):
        raise NotLowered(RejectCode.ATTRIBUTE, "OpenVINO's LSTM has no coupled gates")
    other = sorted(set(_activations(attributes)) - set(ACTIVATIONS))
    if other:
        rule = f"OpenVINO's cells have the activations {', '.join(ACTIVATIONS)}"
        raise NotLowered(RejectCode.ATTRIBUTE, rule, f"wants {', '.join(other)}")
    names = _activations(attributes)
    half = len(names) // 2
    if attributes.get("direction") == "bidirectional" and names[:half] != names[half:]:
        raise NotLowered(RejectCode.ATTRIBUTE, "OpenVINO has one list of activations for both directions")


def _activations(attributes: Attributes) -> list[str]:
    found: Any = attributes.get("activations", ())
    return [str(name).lower() for name in found]


def _sizes(call: OperatorCall) -> tuple[int, str]:
    return call.integer("hidden_size", 1), call.text("direction", "forward")


def _options(call: OperatorCall) -> dict[str, Any]:
    """Clipping and activations, where there are any."""
    found: dict[str, Any] = {}
    clip, names = call.number("clip", 0.0), _activations(call.attributes)
    if clip:
        found["clip"] = clip
    if names:
        both = call.text("direction", "forward") == "bidirectional"
        found["activations"] = names[: len(names) // 2] if both else names
    return found


def _x(call: OperatorCall) -> Any:
    return _transposed(call.term(X).handle, BATCH_FIRST)


def _state(call: OperatorCall, place: int) -> Any:
    """The first state (batch, directions, hidden)."""
    if call.has(place):
        return _transposed(call.term(place).handle, BATCH_FIRST)
    directions, batch, hidden = call.results[1][1]
    return np.zeros((batch, directions, hidden), call.dtype)


def _transposed(handle: Any, order: Sequence[int]) -> Any:
    from openvino import opset16

    return opset16.transpose(handle, np.array(order, np.int64)).output(0)


def _lengths(call: OperatorCall) -> Any:
    if call.has(LENGTHS):
        return call.term(LENGTHS).handle
    steps, batch = call.term(X).shape[:2]
    return np.full(batch, steps, np.int32)


def _split(handle: Any, axis: int, parts: int) -> list[Any]:
    from openvino import opset16

    node = opset16.split(handle, np.array(axis, np.int64), parts)
    return [node.output(number) for number in range(parts)]


def _gates(call: OperatorCall, place: int, gates: Sequence[int]) -> Any:
    """A weight (directions, gates * hidden, n) with its gates in OpenVINO's order."""
    from openvino import opset16

    parts = _split(call.term(place).handle, 1, len(gates))
    return opset16.concat([parts[gate] for gate in gates], 1).output(0)


def _bias(call: OperatorCall, gates: Sequence[int], apart: Sequence[int] = ()) -> Any:
    """The sum of the two biases (directions, 2 * gates * hidden) that ONNX has, gates in OpenVINO's order.

    Gates that are to be ``apart`` have the input's bias, and the state's behind all others.
    """
    from openvino import opset16

    directions, rows, hidden = call.term(STATE_WEIGHT).shape
    if not call.has(BIAS):
        return np.zeros((directions, rows + len(apart) * hidden), call.dtype)
    parts = _split(call.term(BIAS).handle, 1, 2 * len(gates))
    count = len(gates)
    sums = [parts[gate] if gate in apart else opset16.add(parts[gate], parts[gate + count]).output(0) for gate in gates]
    return opset16.concat([*sums, *(parts[gate + count] for gate in apart)], 1).output(0)


def _outputs(call: OperatorCall, node: Any) -> list[Any]:
    """OpenVINO's (batch, directions, steps, hidden) and (batch, directions, hidden) with ONNX's axes."""
    orders = ((2, 1, 0, 3), BATCH_FIRST, BATCH_FIRST)[: len(call.results)]
    return [_transposed(node.output(number), order) for number, order in enumerate(orders)]


OPERATORS = {
    "LSTM": OnnxOperator(write_lstm, at={LENGTHS: INDICES}, check=check),
    "GRU": OnnxOperator(write_gru, at={LENGTHS: INDICES}, check=check),
    "RNN": OnnxOperator(write_rnn, at={LENGTHS: INDICES}, check=check),
}
