"""The LSTM over a sequence."""

from __future__ import annotations

import numpy as np

from ....ir import DataType, Value, constant
from ...rejection import Why
from ..buffers import Array
from ..conversion import Conversion, Converter
from .activation import activation_name

_INPUT_WEIGHTS = {"i": 1, "o": 4, "f": 2, "c": 3}
_STATE_WEIGHTS = {"i": 5, "o": 8, "f": 6, "c": 7}
_BIASES = {"i": 12, "o": 15, "f": 13, "c": 14}
"""Positions of the gates among the inputs, in the order in which LSTM has them."""
_ABSENT = {
    **dict.fromkeys((9, 10, 11), "peephole weights"),
    **dict.fromkeys((16, 17), "a projection"),
    **dict.fromkeys((20, 21, 22, 23), "layer normalization"),
}
_STATE, _CELL = 18, 19


def unidirectional_sequence_lstm(c: Conversion) -> None:
    """LSTM that starts from zeros in every prediction.

    NOTE: TensorFlow Lite keeps the last state for the next prediction until its variables are reset; variables of
    this runtime start anew in every prediction.
    """
    options = c.option("UnidirectionalSequenceLSTMOptions")
    _check(c, options)
    weights, states = _stacked(c, _INPUT_WEIGHTS), _stacked(c, _STATE_WEIGHTS)
    biases = _stacked(c, _BIASES)
    hidden = weights.shape[0] // 4
    x = c.x()
    if not options["time_major"]:
        x = _swapped(c, x, "steps")
    y = c.between(c.y(), "directions", same_shape=False)
    operands = [
        x,
        _constant(c, "weights", weights[None]),
        _constant(c, "states", states[None]),
        _constant(c, "biases", np.concatenate([biases, np.zeros_like(biases)])[None]),
        _zeros(c, _STATE, hidden),
        _zeros(c, _CELL, hidden),
    ]
    c.node("LSTM", operands, y, has_bias=True, hidden_size=hidden, num_layers=1, num_directions=1)
    _without_directions(c, y, options["time_major"])


def _check(c: Conversion, options: dict[str, object]) -> None:
    for position, what in _ABSENT.items():
        c.reject_unless(c.optional(position) is None, Why.ATTRIBUTE, f"{what} (input {position}), which LSTM lacks")
    c.reject_unless(c.optional(_INPUT_WEIGHTS["i"]), Why.ATTRIBUTE, "a coupled input and forget gate")
    for name in ("cell_clip", "proj_clip", "diagonal_recurrent_tensors"):
        c.reject_unless(not options[name], Why.ATTRIBUTE, f"{name} must be 0, found {options[name]}")
    activation = activation_name(int(str(options["fused_activation_function"])))
    c.reject_unless(activation == "TANH", Why.ATTRIBUTE, f"the activation must be TANH, found {activation}")
    c.reject_unless(c.x().dtype == DataType.FLOAT32, Why.DTYPE, f"the input must be FLOAT32, is {c.x().dtype.name}")
    c.reject_unless(c.rank(c.x()) == 3, Why.SHAPE, f"the input must have 3 dimensions, found {c.x().shape}")


def _stacked(c: Conversion, positions: dict[str, int]) -> Array:
    """The gates' weights one under another."""
    parts: list[Array] = []
    for gate, position in positions.items():
        data = c.contents(position, f"weights of gate {gate}")
        fits = data.dtype == np.float32 and data.ndim > 0 and (not parts or data.shape == parts[0].shape)
        reason = f"weights of gate {gate} must be float32 like the others, found {data.dtype} {data.shape}"
        c.reject_unless(fits, Why.DTYPE, reason)
        c.budget.charge(3 * data.nbytes)
        parts.append(data)
    return np.concatenate(parts)


def _constant(c: Conversion, name: str, data: Array) -> Value:
    return constant(f"{c.operator.name}/{name}", data)


def _zeros(c: Conversion, position: int, hidden: int) -> Value:
    """The first state, (1, B, H); the file's variable says how large it is."""
    state = c.x(position)
    batch = c.dim(state, 0)
    known = c.rank(state) == 2 and batch > 0 and c.dim(state, 1) == hidden
    c.reject_unless(known, Why.SHAPE, f"the state '{state.name}' must have shape (batch, {hidden}), has {state.shape}")
    c.reject_unless(state.data is None, Why.ATTRIBUTE, f"the state '{state.name}' must start from zeros")
    c.budget.charge(4 * batch * hidden)
    return _constant(c, f"state-{position}", np.zeros((1, batch, hidden), np.float32))


def _swapped(c: Conversion, x: Value, suffix: str) -> Value:
    shape = x.shape or ()
    made = Value(f"{c.operator.name}/{suffix}", x.dtype, (shape[1], shape[0], *shape[2:]))
    c.node("Transpose", [x, c.constant("order", [1, 0, 2])], made)
    return made


def _without_directions(c: Conversion, y: Value, time_major: bool) -> None:
    """(T, 1, B, H) as (T, B, H), or (B, T, H)."""
    if time_major:
        c.node("Squeeze", [y], c.y(), axis=[1])
        return
    squeezed = c.between(c.y(), "steps", same_shape=False)
    c.node("Squeeze", [y], squeezed, axis=[1])
    c.node("Transpose", [squeezed, c.constant("back", [1, 0, 2])], c.y())


CONVERTERS: dict[str, Converter] = {"UNIDIRECTIONAL_SEQUENCE_LSTM": unidirectional_sequence_lstm}
"""Converters of this file by the schema's names."""
STATEFUL = frozenset(CONVERTERS)
"""Operators that may read variables."""
