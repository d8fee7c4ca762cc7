"""Recurrent cells whose weights are separate inputs, as ONNX has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ....basics.data_class import dataclass
from ....delegate import Kernel, RejectCode
from ....ir.primitives import GRU, LSTM
from ....semantics.operands import operand, primitive_of, required
from ....tensors.tensor import Tensor
from ..emitter import AttributeValue
from ..lowering import Lowering, wanted
from ..term import Axes, Lowered, Shape, Term, identity
from .elementwise import cast
from .onnx_operators import attributes_of, custom_op, operands_of
from .packed_lstm import LstmLayer, is_packed, joined, layers_of, part_of, side_by_side
from .reshaping import reshaped
from .results import as_model, given_shape
from .unrolled_lstm import Zoneouts, unrolled

INT32 = np.dtype(np.int32)
BOOL = np.dtype(np.bool_)
PROJECTED = 7
"""Inputs of an LSTM with a projection."""
STATES = {"RNN": 1, "GRU": 1, "LSTM": 2}
BATCH_FIRST: Axes = (1, 0, 2)
"""The order of axes that makes (T, B, I) of (B, T, I), and (D, B, H) of (B, D, H)."""
USUAL = {"RNN": ("tanh",), "GRU": ("sigmoid", "tanh"), "LSTM": ("sigmoid", "tanh", "tanh")}
"""Activations of one direction."""
NUMBERS: Mapping[str, tuple[float, ...]] = {
    "affine": (1.0, 0.0),
    "elu": (1.0,),
    "hardsigmoid": (0.2, 0.5),
    "leakyrelu": (0.01,),
    "scaledtanh": (1.0, 1.0),
    "thresholdedrelu": (1.0,),
}
"""The default numbers of activations: they are always written, since runtimes have other defaults."""


@dataclass(frozen=True)
class RecurrentCell:
    """A recurrent operator of ONNX with its operands, time first.

    Attributes:
        op: ONNX's name of the operator.
        x: (T, B, I).
        weights: (D, G * H, I), (D, G * H, H), and the bias (D, 2 * G * H), which may be absent.
        lengths: the number of time steps of each sequence, int32 (B,); None: all.
        first: the first states, (D, B, H) each; None: zeros.
        peepholes: (D, 3 * H); None: zeros.
        attributes: the attributes that differ from ONNX's defaults.
    """

    op: str
    x: Term
    weights: tuple[Term, Term, Term | None]
    lengths: Term | None
    first: Sequence[Term | None]
    peepholes: Term | None
    attributes: Mapping[str, AttributeValue]


def lower_lstm(kernel: Kernel, lowering: Lowering) -> list[Lowered]:
    """One or two directions; several layers where the weights are one array."""
    primitive = primitive_of(kernel, LSTM)
    zoneouts = (primitive.zoneout_cell, primitive.zoneout_hidden)
    if is_packed(kernel):
        return _of_layers(kernel, lowering, zoneouts)
    if len(kernel.inputs) == PROJECTED or any(zoneouts):
        return _step_by_step(kernel, lowering, zoneouts)
    return _of_schema(kernel, lowering, "LSTM", None)


def lower_gru(kernel: Kernel, lowering: Lowering) -> list[Lowered]:
    """One layer, one or two directions."""
    primitive_of(kernel, GRU)
    return _of_schema(kernel, lowering, "GRU", operand(kernel, 5))


def lower_of_onnx(kernel: Kernel, lowering: Lowering) -> list[Lowered]:
    """ONNX's own recurrent operators, with all their attributes."""
    op, given, found = custom_op(kernel), operands_of(kernel), attributes_of(kernel)
    places = [*given, *[None] * (8 - len(given))]
    batch_first = bool(found.get("layout", 0))
    order = BATCH_FIRST if batch_first else identity(3)
    x, weight, state_weight = (required_at(kernel, places, place) for place in range(3))
    first = [_optional(lowering, state, order) for state in places[5 : 5 + STATES[op]]]
    cell = RecurrentCell(
        op,
        lowering.in_order(lowering.value(x), order),
        (_plain(lowering, weight), _plain(lowering, state_weight), _optional(lowering, places[3])),
        _lengths(lowering, places[4]),
        first,
        _optional(lowering, places[7]),
        _written_down(op, found),
    )
    made = _results(lowering, cell, len(kernel.outputs))
    if not batch_first:
        return [as_model(term) for term in made]
    orders = [(1, 2, 0, 3), *[BATCH_FIRST] * 2]
    return [Lowered(given_shape(kernel, place), term.dtype, orders[place], term) for place, term in enumerate(made)]


def required_at(kernel: Kernel, places: Sequence[Tensor | None], place: int) -> Tensor:
    """An operand by its place in the file."""
    tensor = places[place]
    return required(kernel, place) if tensor is None else tensor


def _of_schema(kernel: Kernel, lowering: Lowering, op: str, lengths: Tensor | None) -> list[Lowered]:
    """The schema's own, whose states may lack the directions."""
    x, weight, state_weight, bias = (_plain(lowering, required(kernel, place)) for place in range(4))
    directions, hidden = weight.shape[0], state_weight.shape[2]
    shape = (directions, x.shape[1], hidden)
    first = [
        lowering.in_order(reshaped(lowering, lowering.value(required(kernel, 4 + number)), shape))
        for number in range(STATES[op])
    ]
    direction: Mapping[str, AttributeValue] = {"direction": "bidirectional" if directions == 2 else "forward"}
    cell = RecurrentCell(op, x, (weight, state_weight, bias), _lengths(lowering, lengths), first, None, direction)
    made = _results(lowering, cell, len(kernel.outputs))
    return [reshaped(lowering, as_model(term), given_shape(kernel, place)) for place, term in enumerate(made)]


def _step_by_step(kernel: Kernel, lowering: Lowering, zoneouts: Zoneouts) -> list[Lowered]:
    """The schema's operators with features that runtimes' operators do not have, step by step."""
    weights = [required(kernel, place) for place in (1, 2, 3, 6) if place < len(kernel.inputs)]
    wanted(all(each.is_const for each in weights), RejectCode.NOT_CONSTANT, "weights must be constant")
    layer = LstmLayer(*(each.data for each in weights))
    x, (directions, rows, size) = _plain(lowering, required(kernel, 0)), layer.state_weight.shape
    shapes = [(directions, x.shape[1], count) for count in (size, rows // 4)]
    given = [lowering.value(required(kernel, place)) for place in (4, 5)]
    states = [lowering.in_order(reshaped(lowering, each, shape)) for each, shape in zip(given, shapes, strict=True)]
    made = unrolled(lowering, x, states, layer, zoneouts)[: len(kernel.outputs)]
    return [reshaped(lowering, as_model(term), given_shape(kernel, place)) for place, term in enumerate(made)]


def _of_layers(kernel: Kernel, lowering: Lowering, zoneouts: Zoneouts) -> list[Lowered]:
    """Layer upon layer, each of which reads the output of the layer below, its directions side by side."""
    x, h, c = (_plain(lowering, required(kernel, place)) for place in range(3))
    hidden, cells = [], []
    for number, layer in enumerate(layers_of(kernel)):
        count = layer.weight.shape[0]
        first = [part_of(lowering, states, number * count, count) for states in (h, c)]
        if layer.projection is not None or any(zoneouts):
            y, *last = unrolled(lowering, x, first, layer, zoneouts)
        else:
            weights = (lowering.array(layer.weight), lowering.array(layer.state_weight), lowering.array(layer.bias))
            direction: Mapping[str, AttributeValue] = {"direction": "bidirectional" if count == 2 else "forward"}
            y, *last = _results(lowering, RecurrentCell("LSTM", x, weights, None, first, None, direction), 3)
        x = side_by_side(lowering, y)
        hidden.append(last[0])
        cells.append(last[1])
    made = [x, joined(lowering, hidden), joined(lowering, cells)]
    return [as_model(term) for term in made[: len(kernel.outputs)]]


def _results(lowering: Lowering, cell: RecurrentCell, count: int) -> list[Term]:
    """All hidden states (T, D, B, H), and as many of the last states (D, B, H) as are asked for."""
    weight, state_weight, bias = cell.weights
    (steps, batch), directions, hidden = cell.x.shape[:2], weight.shape[0], state_weight.shape[2]
    end: Shape = (directions, batch, hidden)
    operands = [cell.x, weight, state_weight, bias, cell.lengths, *cell.first]
    operands += [] if cell.peepholes is None else [cell.peepholes]
    specs = [(cell.x.dtype, shape) for shape in ((steps, directions, batch, hidden), *[end] * len(cell.first))]
    y, *last = lowering.emit_several(cell.op, operands, specs, hidden_size=hidden, **cell.attributes)
    pairs = zip(last, cell.first, strict=True)
    return [y, *(_of_empty(lowering, cell, term, first) for term, first in islice(pairs, count - 1))]


def _of_empty(lowering: Lowering, cell: RecurrentCell, last: Term, first: Term | None) -> Term:
    """The last state; a sequence without time steps keeps the first state, where runtimes give zeros."""
    lengths = cell.lengths
    if first is None or lengths is None or (lengths.constant is not None and bool((lengths.constant > 0).all())):
        return last
    batch = lengths.shape[0]
    column = lowering.emit("Reshape", [lengths, lowering.ints((1, batch, 1))], lengths.dtype, (1, batch, 1))
    there = lowering.emit("Greater", [column, lowering.scalar(0, lengths.dtype)], BOOL, (1, batch, 1))
    return lowering.emit("Where", [there, last, first], last.dtype, last.shape)


def _plain(lowering: Lowering, tensor: Tensor) -> Term:
    return lowering.in_order(lowering.value(tensor))


def _optional(lowering: Lowering, tensor: Tensor | None, order: Axes | None = None) -> Term | None:
    return None if tensor is None else lowering.in_order(lowering.value(tensor), order)


def _lengths(lowering: Lowering, tensor: Tensor | None) -> Term | None:
    if tensor is None:
        return None
    if tensor.is_const:
        return lowering.array(tensor.data.astype(INT32))
    return cast(lowering, _plain(lowering, tensor), INT32)


def _written_down(op: str, found: Mapping[str, Any]) -> dict[str, AttributeValue]:
    """The attributes that matter, with the numbers of activations."""
    kept = {name: found[name] for name in ("direction", "linear_before_reset", "input_forget") if found.get(name)}
    if found.get("clip"):
        kept["clip"] = float(found["clip"])
    names = found.get("activations") or ()
    usual = USUAL[op] * (2 if kept.get("direction") == "bidirectional" else 1)
    if not names or tuple(name.lower() for name in names) == usual:
        return kept
    alphas, betas = iter(found.get("activation_alpha") or ()), iter(found.get("activation_beta") or ())
    numbers = [_numbers(name.lower(), alphas, betas) for name in names]
    kept["activations"] = list(names)
    for attribute, place in (("activation_alpha", 0), ("activation_beta", 1)):
        taken = [each[place] for each in numbers if len(each) > place]
        if taken:
            kept[attribute] = taken
    return kept


def _numbers(name: str, alphas: Iterator[float], betas: Iterator[float]) -> list[float]:
    """The numbers that an activation takes, from the given numbers or its defaults."""
    return [float(next(given, own)) for given, own in zip((alphas, betas), NUMBERS.get(name, ()), strict=False)]


LOWERINGS = {
    "LSTM": lower_lstm,
    "GRU": lower_gru,
    **{f"ai.onnx.{op}": lower_of_onnx for op in STATES},
}
