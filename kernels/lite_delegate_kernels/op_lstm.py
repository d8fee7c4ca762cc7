"""LSTM: long short-term memory, from separate weights (as in ONNX) or from one packed weight (as in MindIR)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._dtypes import FLOATS, check_dtype, widen
from ._expect import expect_shape, without_gaps
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._lstm_weights import PackedLayout, packed_weights, separate_weights
from ._recurrent import LstmWeights, lstm_direction
from ._shapes import element_count

Outputs = tuple[Array, Array, Array]
Zoneouts = tuple[float, float]


@np.errstate(all="ignore")
def lstm(
    x: Array,
    *parameters: Array | None,
    bidirectional: bool = False,
    has_bias: bool = False,
    input_size: int = 0,
    hidden_size: int = 0,
    num_layers: int = 0,
    num_directions: int = 0,
    dropout: float = 0.0,
    zoneout_cell: float = 0.0,
    zoneout_hidden: float = 0.0,
    proj_size: int = 0,
    output_count: int = 1,
) -> Array | tuple[Array, ...]:
    """An LSTM without peepholes over a sequence; see ``_recurrent.lstm_direction`` for one step.

    D is 2 when bidirectional, else 1; H is the size of the cell state; P that of the hidden state, which is H unless
    there is a projection.

    Args:
        x: (T, B, I), float. float16 is computed in float32.
        parameters: either five or six, each direction's weights stacked, gates in the order input, output, forget,
            cell: weight (D, 4H, I), state weight (D, 4H, P), bias (D, 8H) with the input bias before the state bias,
            h0 (D, B, P), c0 (D, B, H), and the projection (D, P, H) if there is one; h0 and c0 may lack the first
            dimension when D is 1. Or three: h0 (layers * D, B, P), c0 (layers * D, B, H), and all weights in one
            array of any shape, gates in the order input, forget, cell, output, see ``_lstm_weights.packed_weights``.
        bidirectional: whether a second direction runs from the last time step to the first.
        num_layers: number of layers of the packed form; 0 means 1.
        zoneout_cell: how much of the old cell state stays, 0 to 1.
        zoneout_hidden: the same of the hidden state.
        proj_size: P of the packed form if it has a projection, else 0.
        has_bias, input_size, hidden_size, num_directions, dropout: no effect; the arrays say it all.
        output_count: 1 to 3.

    Returns:
        y (T, D, B, P), or (T, B, D * P) in the packed form; the last h (layers * D, B, P) and c (layers * D, B, H).

    NOTE: MindSpore Lite runs one layer; several are packed here as their weights follow from the layout of one.
    """
    given = [widen(p) for p in without_gaps(parameters, first=1)]
    zoneouts = (zoneout_cell, zoneout_hidden)
    if len(given) == 3:
        h0, c0, packed = given
        layout = _layout(x.shape, h0.shape, c0.shape, bidirectional, num_layers, proj_size)
        outputs = _packed_form(widen(x), h0, c0, packed_weights(packed, layout), zoneouts)
    else:
        outputs = _separate_form(widen(x), given, zoneouts)
    rounded = tuple(y.astype(x.dtype, copy=False) for y in outputs[:output_count])
    return rounded[0] if output_count == 1 else rounded


def infer_lstm(
    x: ArraySpec, *parameters: ArraySpec | None, bidirectional: bool, num_layers: int, proj_size: int, output_count: int
) -> ArraySpec | tuple[ArraySpec, ...]:
    """The specs of y, h and c; raises KernelInputError for dtypes, a number of inputs or shapes that do not fit."""
    if not 1 <= output_count <= 3:
        raise KernelInputError(f"1 to 3 outputs expected, got {output_count}")
    given = without_gaps(parameters, first=1)
    for i, spec in enumerate((x, *given)):
        check_dtype(spec, FLOATS, f"input {i}")
    directions = 2 if bidirectional else 1
    if len(given) == 3:
        shapes = _packed_shapes(x, given, bidirectional, num_layers, proj_size)
    elif len(given) in (5, 6):
        shapes = _separate_shapes(x, given, directions)
    else:
        raise KernelInputError(f"4, 6 or 7 inputs expected, got {len(given) + 1}")
    specs = tuple(ArraySpec(x.dtype, shape) for shape in shapes[:output_count])
    return specs[0] if output_count == 1 else specs


def _separate_form(x: Array, given: Sequence[Array], zoneouts: Zoneouts) -> Outputs:
    weight, state, bias, h0, c0 = given[:5]
    directions = separate_weights(weight, state, bias, given[5] if len(given) == 6 else None)
    count, batch = len(directions), x.shape[1]
    h0, c0 = h0.reshape(count, batch, state.shape[2]), c0.reshape(count, batch, state.shape[1] // 4)
    return _layer(x, h0, c0, directions, zoneouts)


def _packed_form(x: Array, h0: Array, c0: Array, layers: Sequence[list[LstmWeights]], zoneouts: Zoneouts) -> Outputs:
    hidden, cells = [], []
    for number, directions in enumerate(layers):
        own = slice(number * len(directions), (number + 1) * len(directions))
        y, h, c = _layer(x, h0[own], c0[own], directions, zoneouts)
        x = y.transpose(0, 2, 1, 3).reshape(*y.shape[::2], y.shape[1] * y.shape[3])
        hidden.append(h)
        cells.append(c)
    return x, np.concatenate(hidden), np.concatenate(cells)


def _layer(x: Array, h0: Array, c0: Array, directions: Sequence[LstmWeights], zoneouts: Zoneouts) -> Outputs:
    """One layer: y (T, D, B, P), h (D, B, P), c (D, B, H)."""
    parts = [
        lstm_direction(x, h0[d], c0[d], weights, zoneouts, backward=d == 1) for d, weights in enumerate(directions)
    ]
    ys, hs, cs = zip(*parts, strict=True)
    return np.stack(ys, axis=1), np.stack(hs), np.stack(cs)


def _separate_shapes(x: ArraySpec, given: Sequence[ArraySpec], directions: int) -> tuple[Shape, Shape, Shape]:
    steps, batch, features = expect_shape("x", x, (UNKNOWN,) * 3)
    weight, state, bias, h0, c0 = given[:5]
    _, rows, _ = expect_shape("weight", weight, (directions, UNKNOWN, features))
    if rows != UNKNOWN and rows % 4:
        raise KernelInputError(f"weight must hold four gates, got {rows} rows")
    projected = len(given) == 6
    batch, hidden = _state_shape("c0", c0, directions, batch, UNKNOWN if rows == UNKNOWN else rows // 4)
    batch, size = _state_shape("h0", h0, directions, batch, UNKNOWN if projected else hidden)
    if projected:
        _, size, hidden = expect_shape("projection", given[5], (directions, size, hidden))
    expect_shape("state weight", state, (directions, _times(4, hidden), size))
    expect_shape("bias", bias, (directions, _times(8, hidden)))
    return (steps, directions, batch, size), (directions, batch, size), (directions, batch, hidden)


def _times(factor: int, dim: int) -> int:
    return UNKNOWN if dim == UNKNOWN else factor * dim


def _state_shape(name: str, spec: ArraySpec, directions: int, batch: int, size: int) -> tuple[int, int]:
    if directions == 1 and spec.rank == 2:
        batch, size = expect_shape(name, spec, (batch, size))
    else:
        _, batch, size = expect_shape(name, spec, (directions, batch, size))
    return batch, size


def _packed_shapes(
    x: ArraySpec, given: Sequence[ArraySpec], bidirectional: bool, num_layers: int, proj_size: int
) -> tuple[Shape, Shape, Shape]:
    steps, batch, features = expect_shape("x", x, (UNKNOWN,) * 3)
    h0, c0, packed = given
    directions = 2 if bidirectional else 1
    states = max(num_layers, 1) * directions
    _, batch, hidden = expect_shape("c0", c0, (states, batch, UNKNOWN))
    _, batch, size = expect_shape("h0", h0, (states, batch, proj_size if proj_size > 0 else hidden))
    h_shape, c_shape = (states, batch, size), (states, batch, hidden)
    count = UNKNOWN if packed.shape is None else element_count(packed.shape)
    if UNKNOWN not in (features, hidden, size, count):
        x_shape = (steps, batch, features)
        _layout(x_shape, h_shape, c_shape, bidirectional, num_layers, proj_size).bias_kinds(count)
    return (steps, batch, _times(directions, size)), h_shape, c_shape


def _layout(x: Shape, h0: Shape, c0: Shape, bidirectional: bool, num_layers: int, proj_size: int) -> PackedLayout:
    directions = 2 if bidirectional else 1
    return PackedLayout(max(num_layers, 1), directions, x[2], c0[2], h0[2], proj_size > 0)


KERNEL = ReferenceKernel("LSTM", lstm, infer_lstm, FLOATS, needs_output_count=True)
