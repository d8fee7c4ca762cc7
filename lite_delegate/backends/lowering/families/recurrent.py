"""Recurrent cells whose weights are separate inputs, as ONNX has them."""

from __future__ import annotations

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.primitives import GRU, LSTM
from ....semantics.operands import operand, primitive_of, required
from ..lowering import Lowering, wanted
from ..term import Lowered, Term
from .elementwise import cast
from .reshaping import reshaped
from .results import as_model, given_shape

INT32 = np.dtype(np.int32)


def lower_lstm(kernel: Kernel, lowering: Lowering) -> list[Lowered]:
    """One layer, one or two directions, without projection."""
    primitive, x = primitive_of(kernel, LSTM), lowering.value(required(kernel, 0))
    wanted(len(kernel.inputs) == 6, RejectCode.OPERATOR, "weights of one layer, without projection", "has others")
    zoneouts = (primitive.zoneout_cell, primitive.zoneout_hidden)
    wanted(zoneouts == (0, 0), RejectCode.ATTRIBUTE, "zoneouts must be 0", f"are {zoneouts}")
    weight, state_weight, bias = (_in_place(lowering, kernel, position) for position in (1, 2, 3))
    directions, hidden = weight.shape[0], state_weight.shape[2]
    states = [_state(lowering, kernel, position, (directions, x.shape[1], hidden)) for position in (4, 5)]
    operands = [lowering.in_order(x), weight, state_weight, bias, None, *states]
    return _outputs(kernel, lowering, "LSTM", operands, hidden)


def lower_gru(kernel: Kernel, lowering: Lowering) -> list[Lowered]:
    """One layer, one or two directions."""
    primitive_of(kernel, GRU)
    x = lowering.value(required(kernel, 0))
    weight, state_weight, bias = (_in_place(lowering, kernel, position) for position in (1, 2, 3))
    directions, hidden = weight.shape[0], state_weight.shape[2]
    given = operand(kernel, 5)
    if given is not None:
        wanted(given.is_const, RejectCode.NOT_CONSTANT, "lengths must be constant, so that none is 0")
        wanted(bool(given.data.min() > 0), RejectCode.ATTRIBUTE, "sequences must have time steps")
    lengths = None if given is None else cast(lowering, lowering.in_order(lowering.value(given)), INT32)
    state = _state(lowering, kernel, 4, (directions, x.shape[1], hidden))
    operands = [lowering.in_order(x), weight, state_weight, bias, lengths, state]
    return _outputs(kernel, lowering, "GRU", operands, hidden)


def _in_place(lowering: Lowering, kernel: Kernel, position: int) -> Term:
    return lowering.in_order(lowering.value(required(kernel, position)))


def _state(lowering: Lowering, kernel: Kernel, position: int, shape: tuple[int, ...]) -> Term:
    return lowering.in_order(reshaped(lowering, lowering.value(required(kernel, position)), shape))


def _outputs(kernel: Kernel, lowering: Lowering, op: str, operands: list[Term | None], hidden: int) -> list[Lowered]:
    x, weight = operands[0], operands[1]
    assert x is not None
    assert weight is not None
    directions = weight.shape[0]
    (steps, batch), state = x.shape[:2], (directions, x.shape[1], hidden)
    shapes = [(steps, directions, batch, hidden), state, state][: 3 if op == "LSTM" else 2]
    flags = {"hidden_size": hidden, "direction": "bidirectional" if directions == 2 else "forward"}
    made = lowering.emit_several(op, operands, [(x.dtype, shape) for shape in shapes], **flags)
    wide = (
        reshaped(lowering, as_model(term), given_shape(kernel, place))
        for place, term in enumerate(made[: len(kernel.outputs)])
    )
    return list(wide)


LOWERINGS = {"LSTM": lower_lstm, "GRU": lower_gru}
