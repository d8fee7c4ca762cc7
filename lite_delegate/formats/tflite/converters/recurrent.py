"""LSTM, of one step or over a sequence. The states kept from run to run are variables of the model."""

from __future__ import annotations

from functools import partial

import numpy as np

from ....basics.counted import counted
from ....basics.data_class import dataclass
from ....ir import DataType, Value, constant
from ...rejection import Why
from ..conversion import Converter, OperatorConversion
from ..tensors.buffers import Array
from ..tensors.layout import enum_names
from .activation import activation_name
from .steps import kept, merged, swapped
from .variable import assign

_INPUT_WEIGHTS = {"i": 1, "o": 4, "f": 2, "c": 3}
_STATE_WEIGHTS = {"i": 5, "o": 8, "f": 6, "c": 7}
_BIASES = {"i": 12, "o": 15, "f": 13, "c": 14}
"""Positions of the gates among the inputs, in the order in which LSTM has them."""
_OF_DIRECTION = {**dict.fromkeys((9, 10, 11), "peephole weights"), **dict.fromkeys((16, 17), "a projection")}
_NORMALIZATION = dict.fromkeys((20, 21, 22, 23), "layer normalization")
_AUXILIARY = dict.fromkeys(range(39, 48), "auxiliary inputs")
"""The inputs that LSTM lacks here, by position."""


@dataclass(frozen=True, slots=True)
class _DirectionInputs:
    """One direction among the inputs of an operator.

    Attributes:
        name: of its nodes.
        shift: how much further its weights stand than those of an operator of one direction.
        state: the position of the hidden state; that of the cell state follows.
        is_backward: whether it goes from the last step to the first.
    """

    name: str
    shift: int = 0
    state: int = 18
    is_backward: bool = False


_FORWARD = _DirectionInputs("forward", state=35)
_BACKWARD = _DirectionInputs("backward", shift=17, state=37, is_backward=True)


def lstm(c: OperatorConversion) -> None:
    """LSTM over a sequence of one step; the full kernel, with the conditions of UNIDIRECTIONAL_SEQUENCE_LSTM."""
    options, direction = c.option("LSTMOptions"), _DirectionInputs("step")
    full = enum_names("LSTMKernelType").get(options["kernel_type"]) == "FULL"
    c.reject_unless(full, Why.ATTRIBUTE, "the basic kernel, which is of quantized integers and keeps nothing")
    _check(c, {**options, "diagonal_recurrent_tensors": False}, 2, {**_OF_DIRECTION, **_NORMALIZATION})
    x = c.x()
    step = Value(f"{c.operator.name}/step", x.dtype, None if x.shape is None else (1, *x.shape))
    c.node("Unsqueeze", [x], step, axis=[0])
    c.node("Squeeze", [_directed(c, direction, step)], c.y(), axis=[0, 1])


def unidirectional_sequence_lstm(c: OperatorConversion) -> None:
    """LSTM over a sequence, which keeps its state: constant float32 weights, TANH, no peepholes, projection, clipping
    or layer normalization.
    """
    options = c.option("UnidirectionalSequenceLSTMOptions")
    _check(c, options, 3, {**_OF_DIRECTION, **_NORMALIZATION})
    x = c.x() if options["time_major"] else swapped(c, c.x(), "steps")
    _without_directions(c, _directed(c, _DirectionInputs("steps"), x), c.y(), options["time_major"])


def bidirectional_sequence_lstm(c: OperatorConversion) -> None:
    """Two LSTMs, one of which reads backwards; conditions of UNIDIRECTIONAL_SEQUENCE_LSTM, no auxiliary inputs."""
    options = c.option("BidirectionalSequenceLSTMOptions")
    lacking = {p + shift: what for p, what in _OF_DIRECTION.items() for shift in (0, _BACKWARD.shift)}
    _check(c, {**options, "diagonal_recurrent_tensors": False}, 3, {**lacking, **_AUXILIARY})
    x = c.x() if options["time_major"] else swapped(c, c.x(), "steps")
    given = [_directed(c, direction, x) for direction in (_FORWARD, _BACKWARD)]
    merged(c, given, partial(_without_directions, c, time_major=options["time_major"]), options["merge_outputs"])


def _directed(c: OperatorConversion, direction: _DirectionInputs, x: Value) -> Value:
    """Adds an LSTM over (T, B, I), and what keeps its last states; gives (T, 1, B, H)."""
    weights, states = _stacked(c, _INPUT_WEIGHTS, direction), _stacked(c, _STATE_WEIGHTS, direction)
    biases = _stacked(c, _BIASES, direction)
    hidden = weights.shape[0] // 4
    kinds = {"hidden": direction.state, "cell": direction.state + 1}
    variables = {kind: kept(c, position, hidden) for kind, position in kinds.items()}
    last = {kind: c.between(v, f"last-{kind}", same_shape=False) for kind, v in variables.items()}
    if direction.is_backward:
        x = _reversed(c, x, "reversed")
    y = Value(f"{c.operator.name}/{direction.name}", x.dtype, None)
    operands = [
        x,
        _constant(c, f"{direction.name}-weights", weights[None]),
        _constant(c, f"{direction.name}-states", states[None]),
        _constant(c, f"{direction.name}-biases", np.concatenate([biases, np.zeros_like(biases)])[None]),
        *variables.values(),
    ]
    outputs = [y, *last.values()]
    c.node("LSTM", operands, outputs, has_bias=True, hidden_size=hidden, num_layers=1, num_directions=1)
    for kind, variable in variables.items():
        value = c.between(variable, kind)
        c.node("Squeeze", [last[kind]], value, axis=[0])
        assign(c, variable, value)
    return _reversed(c, y, f"{direction.name}-in-order") if direction.is_backward else y


def _check(c: OperatorConversion, options: dict[str, object], rank: int, absent: dict[int, str]) -> None:
    for position, what in absent.items():
        c.reject_unless(c.optional(position) is None, Why.ATTRIBUTE, f"{what} (input {position}), which LSTM lacks")
    c.reject_unless(c.optional(_INPUT_WEIGHTS["i"]), Why.ATTRIBUTE, "a coupled input and forget gate")
    for name in ("cell_clip", "proj_clip", "diagonal_recurrent_tensors"):
        c.reject_unless(not options[name], Why.ATTRIBUTE, f"{name} must be 0, found {options[name]}")
    activation = activation_name(int(str(options["fused_activation_function"])))
    c.reject_unless(activation == "TANH", Why.ATTRIBUTE, f"the activation must be TANH, found {activation}")
    c.reject_unless(c.x().dtype == DataType.FLOAT32, Why.DTYPE, f"the input must be FLOAT32, is {c.x().dtype.name}")
    c.reject_unless(
        c.rank(c.x()) == rank, Why.SHAPE, f"the input must have {counted(rank, 'dimension')}, found {c.x().shape}"
    )


def _stacked(c: OperatorConversion, positions: dict[str, int], direction: _DirectionInputs) -> Array:
    """The gates' weights one under another."""
    parts: list[Array] = []
    for gate, position in positions.items():
        data = c.contents(position + direction.shift, f"weights of gate {gate}")
        fits = data.dtype == np.float32 and data.ndim > 0 and (not parts or data.shape == parts[0].shape)
        reason = f"weights of gate {gate} must be float32 like the other weights, found {data.dtype} {data.shape}"
        c.reject_unless(fits, Why.DTYPE, reason)
        c.budget.charge(3 * data.nbytes)
        parts.append(data)
    return np.concatenate(parts)


def _constant(c: OperatorConversion, name: str, data: Array) -> Value:
    return constant(f"{c.operator.name}/{name}", data)


def _reversed(c: OperatorConversion, x: Value, suffix: str) -> Value:
    """A sequence with its last step first."""
    made = Value(f"{c.operator.name}/{suffix}", x.dtype, x.shape)
    c.node("ReverseV2", [x], made, axis=[0])
    return made


def _without_directions(c: OperatorConversion, x: Value, y: Value, time_major: bool) -> None:
    """(T, 1, B, H) as (T, B, H), or (B, T, H)."""
    if time_major:
        c.node("Squeeze", [x], y, axis=[1])
        return
    squeezed = c.between(y, "steps", same_shape=False)
    c.node("Squeeze", [x], squeezed, axis=[1])
    c.node("Transpose", [squeezed, c.constant("back", [1, 0, 2])], y)


CONVERTERS: dict[str, Converter] = {
    "LSTM": lstm,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": unidirectional_sequence_lstm,
    "BIDIRECTIONAL_SEQUENCE_LSTM": bidirectional_sequence_lstm,
}
"""Converters of this file by the schema's names."""
