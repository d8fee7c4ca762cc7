"""The recurrences of LSTM and GRU: one direction of one layer over all its time steps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ._activations import sigmoid
from ._kernel import Array


@dataclass(frozen=True, slots=True, eq=False)
class LstmWeights:
    """One direction of one layer; the four gates are stacked in the order input, output, forget, cell.

    Attributes:
        input: (4H, I).
        state: (4H, P).
        bias: (4H,), the sum of input bias and state bias.
        projection: (P, H), or None, and then P = H.
    """

    input: Array
    state: Array
    bias: Array
    projection: Array | None


@dataclass(frozen=True, slots=True, eq=False)
class GruWeights:
    """One direction; the three gates are stacked in the order update, reset, hidden.

    Attributes:
        input: (3H, I).
        state: (3H, H).
        input_bias: (3H,).
        state_bias: (3H,).
    """

    input: Array
    state: Array
    input_bias: Array
    state_bias: Array


def lstm_direction(
    x: Array, h: Array, c: Array, weights: LstmWeights, zoneouts: tuple[float, float], *, backward: bool
) -> tuple[Array, Array, Array]:
    """``c' = f * c + i * tanh(g)``, ``h' = o * tanh(c')`` for every time step (Hochreiter and Schmidhuber, 1997).

    Args:
        x: (T, B, I).
        h: (B, P), the first hidden state.
        c: (B, H), the first cell state.
        weights: see ``LstmWeights``.
        zoneouts: how much of the old cell and of the old hidden state stays.
        backward: from the last time step to the first.

    Returns:
        What each step gives, (T, B, P), and the last hidden and cell state.

    NOTE: as in MindSpore Lite, zoneout changes the states that go on to the next step, not what this step gives.
    """
    gates = _input_gates(x, weights.input, weights.bias)
    y = np.empty((*x.shape[:2], h.shape[1]), dtype=x.dtype)
    for t in _time_steps(x.shape[0], backward):
        i, o, f, g = np.split(gates[t] + h @ weights.state.T, 4, axis=1)
        new_c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        new_h = sigmoid(o) * np.tanh(new_c)
        y[t] = new_h if weights.projection is None else new_h @ weights.projection.T
        c = _zoned_out(c, new_c, zoneouts[0])
        h = _zoned_out(h, y[t], zoneouts[1])
    return y, h, c


def gru_direction(
    x: Array, h: Array, weights: GruWeights, lengths: Array | None, *, backward: bool
) -> tuple[Array, Array]:
    """``h' = z * h + (1 - z) * tanh(W x + b + R (r * h) + rb)`` for every time step (Cho et al., 2014).

    Args:
        x: (T, B, I).
        h: (B, H), the first hidden state.
        weights: see ``GruWeights``.
        lengths: how many time steps each sequence has, (B,); None means all T.
        backward: from each sequence's last time step to the first.

    Returns:
        What each step gives, (T, B, H), zero past a sequence's end; the last hidden state.
    """
    hidden = h.shape[1]
    gates = _input_gates(x, weights.input, weights.input_bias)
    y = np.empty((*x.shape[:2], hidden), dtype=x.dtype)
    for t in _time_steps(x.shape[0], backward):
        both = gates[t, :, : 2 * hidden] + h @ weights.state[: 2 * hidden].T + weights.state_bias[: 2 * hidden]
        z, r = np.split(sigmoid(both), 2, axis=1)
        candidate = gates[t, :, 2 * hidden :] + (r * h) @ weights.state[2 * hidden :].T
        new_h = z * h + (1 - z) * np.tanh(candidate + weights.state_bias[2 * hidden :])
        inside = True if lengths is None else (t < lengths)[:, None]
        y[t] = np.where(inside, new_h, 0)
        h = np.where(inside, new_h, h)
    return y, h


def _input_gates(x: Array, weight: Array, bias: Array) -> Array:
    steps, batch, features = x.shape
    gates: Array = x.reshape(steps * batch, features) @ weight.T
    gates += bias
    return gates.reshape(steps, batch, weight.shape[0])


def _time_steps(count: int, backward: bool) -> Iterable[int]:
    return reversed(range(count)) if backward else range(count)


def _zoned_out(old: Array, new: Array, zoneout: float) -> Array:
    return new if zoneout == 0 else zoneout * old + (1 - zoneout) * new
