"""Conformance cases of LSTM, one gate of one sequence at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.recurrent import Floats, dot, sigmoid

Zoneouts = tuple[float, float]


class _Direction:
    """The weights of one direction: what each gate i, o, f, g adds up."""

    def __init__(self, w: Array, r: Array, b: Array, projection: Array | None, order: str) -> None:
        self.hidden = len(w) // 4
        self.rows = {
            gate: range(order.index(gate) * self.hidden, (order.index(gate) + 1) * self.hidden) for gate in "iofg"
        }
        self.w, self.r, self.b, self.projection = w, r, b, projection

    def gate(self, gate: str, x: Floats, h: Floats) -> Floats:
        return [dot(self.w[k], x) + dot(self.r[k], h) + float(self.b[k]) for k in self.rows[gate]]

    def step(self, x: Floats, h: Floats, c: Floats) -> tuple[Floats, Floats]:
        i, o, f = ([sigmoid(v) for v in self.gate(gate, x, h)] for gate in "iof")
        g = [math.tanh(v) for v in self.gate("g", x, h)]
        cell = [f[k] * c[k] + i[k] * g[k] for k in range(self.hidden)]
        out = [o[k] * math.tanh(cell[k]) for k in range(self.hidden)]
        return (out if self.projection is None else [dot(row, out) for row in self.projection]), cell


def _run(
    x: Array, h0: Array, c0: Array, directions: list[_Direction], zoneouts: Zoneouts
) -> tuple[Array, Array, Array]:
    """One layer: y (T, D, B, P), h (D, B, P), c (D, B, H)."""
    steps, batch, _ = x.shape
    y = np.zeros((steps, len(directions), batch, h0.shape[2]))
    last_h, last_c = h0.astype(np.float64), c0.astype(np.float64)
    for d, b in np.ndindex(len(directions), batch):
        h, c = [float(v) for v in h0[d, b]], [float(v) for v in c0[d, b]]
        for step in range(steps):
            t = step if d == 0 else steps - 1 - step
            out, cell = directions[d].step([float(v) for v in x[t, b]], h, c)
            y[t, d, b] = out
            c = [zoneouts[0] * old + (1 - zoneouts[0]) * new for old, new in zip(c, cell, strict=True)]
            h = [zoneouts[1] * old + (1 - zoneouts[1]) * new for old, new in zip(h, out, strict=True)]
        last_h[d, b], last_c[d, b] = h, c
    return y, last_h, last_c


def _separate(
    name: str,
    rng: np.random.Generator,
    sizes: tuple[int, int, int, int],
    *,
    directions: int = 1,
    projection: int = 0,
    dtype: str = "float32",
    flat_states: bool = False,
    outputs: int = 3,
    zoneouts: Zoneouts = (0.0, 0.0),
    x: Array | None = None,
    **attributes: Any,
) -> ConformanceCase:
    """The form with separate weights; ``sizes`` are T, B, I and H."""
    steps, batch, features, hidden = sizes
    state = projection or hidden
    shapes = [(directions, 4 * hidden, features), (directions, 4 * hidden, state), (directions, 8 * hidden)]
    w, r, b = ((rng.normal(size=shape) * 0.5).astype(dtype) for shape in shapes)
    h0 = rng.normal(size=(directions, batch, state)).astype(dtype)
    c0 = rng.normal(size=(directions, batch, hidden)).astype(dtype)
    p = (rng.normal(size=(directions, projection, hidden)) * 0.5).astype(dtype) if projection else None
    given = rng.normal(size=(steps, batch, features)).astype(dtype) if x is None else x
    bias = b.astype(np.float64)[:, : 4 * hidden] + b.astype(np.float64)[:, 4 * hidden :]
    parts = [_Direction(w[d], r[d], bias[d], None if p is None else p[d], "iofg") for d in range(directions)]
    expected = _run(given, h0, c0, parts, zoneouts)
    starts = (h0[0], c0[0]) if flat_states else (h0, c0)
    inputs = (given, w, r, b, *starts) if p is None else (given, w, r, b, *starts, p)
    attributes = {
        "bidirectional": directions == 2,
        "zoneout_cell": zoneouts[0],
        "zoneout_hidden": zoneouts[1],
        **attributes,
    }
    return _case(name, inputs, expected[:outputs], attributes, frozenset({1, 2, 3, 6}))


def _packed(
    name: str,
    rng: np.random.Generator,
    sizes: tuple[int, int, int, int],
    *,
    directions: int = 1,
    layers: int = 1,
    projection: int = 0,
    biases: int = 1,
    dtype: str = "float32",
    zoneouts: Zoneouts = (0.0, 0.0),
    outputs: int = 3,
    weight_rank: int = 3,
) -> ConformanceCase:
    """The form with one weight: layer after layer, direction after direction inside each kind of weight."""
    steps, batch, features, hidden = sizes
    state = projection or hidden
    parts = [(layer, d) for layer in range(layers) for d in range(directions)]
    width = {layer: features if layer == 0 else directions * state for layer in range(layers)}

    def draw(*shape: int) -> Array:
        return (rng.normal(size=shape) * 0.5).astype(dtype)

    w = {part: draw(4 * hidden, width[part[0]]) for part in parts}
    r = {part: draw(4 * hidden, state) for part in parts}
    p = {part: draw(projection, hidden) if projection else None for part in parts}
    b = {part: [draw(4 * hidden) for _ in range(biases)] for part in parts}
    pieces = [a for part in parts for a in (w[part], r[part])] if biases == 2 else [*w.values(), *r.values()]
    pieces += [a for a in p.values() if a is not None] + [a for part in parts for a in b[part]]
    packed = np.concatenate([a.ravel() for a in pieces]).reshape((-1,) + (1,) * (weight_rank - 1))
    h0 = rng.normal(size=(len(parts), batch, state)).astype(dtype)
    c0 = rng.normal(size=(len(parts), batch, hidden)).astype(dtype)
    x = rng.normal(size=(steps, batch, features)).astype(dtype)
    y, hs, cs = x, [], []
    for layer in range(layers):
        own = [(layer, d) for d in range(directions)]
        bias = {part: sum((a.astype(np.float64) for a in b[part]), np.zeros(4 * hidden)) for part in own}
        cells = [_Direction(w[part], r[part], bias[part], p[part], "ifgo") for part in own]
        rows = slice(layer * directions, (layer + 1) * directions)
        outs, h, c = _run(y, h0[rows], c0[rows], cells, zoneouts)
        y = np.concatenate([outs[:, d] for d in range(directions)], axis=2)
        hs.append(h)
        cs.append(c)
    attributes = {
        "bidirectional": directions == 2,
        "has_bias": biases > 0,
        "input_size": features,
        "hidden_size": hidden,
        "num_layers": layers,
        "num_directions": directions,
        "proj_size": projection,
        "zoneout_cell": zoneouts[0],
        "zoneout_hidden": zoneouts[1],
    }
    expected = (y, np.concatenate(hs), np.concatenate(cs))[:outputs]
    return _case(name, (x, h0, c0, packed), expected, attributes, frozenset({3}))


def _case(
    name: str,
    inputs: tuple[Array, ...],
    expected: tuple[Array, ...],
    attributes: dict[str, Any],
    constants: frozenset[int],
) -> ConformanceCase:
    dtype = inputs[0].dtype
    tolerance = {"float16": 2e-3, "float64": 1e-12}.get(dtype.name, 1e-5)
    outputs = tuple(y.astype(dtype) for y in expected)
    return ConformanceCase(name, "LSTM", inputs, outputs, attributes, constants, tolerance, tolerance)


def cases() -> Iterator[ConformanceCase]:
    """Both forms of the weights, both directions, projections, zoneout, layers, dtypes, sequences of 0 and 1 step."""
    rng = np.random.default_rng(87)
    yield _separate("separate", rng, (3, 2, 4, 3))
    yield _separate("bidirectional", rng, (4, 2, 3, 2), directions=2)
    yield _separate("one_step_one_sequence", rng, (1, 1, 1, 1))
    yield _separate("channels_17_hidden_8", rng, (2, 3, 17, 8))
    yield _separate("hidden_16", rng, (2, 1, 7, 16))
    yield _separate("states_without_direction", rng, (3, 2, 3, 2), flat_states=True)
    yield _separate("projection", rng, (3, 2, 4, 5), projection=3)
    yield _separate("projection_bidirectional", rng, (3, 2, 4, 5), projection=2, directions=2)
    yield _separate("projection_wider_than_cell", rng, (2, 2, 3, 2), projection=7)
    yield _separate("zoneout_cell", rng, (4, 2, 3, 3), zoneouts=(0.25, 0.0))
    yield _separate("zoneout_hidden", rng, (4, 2, 3, 3), zoneouts=(0.0, 0.5))
    yield _separate(
        "zoneout_both_projection_bidirectional", rng, (4, 2, 3, 3), zoneouts=(0.1, 0.3), projection=2, directions=2
    )
    yield _separate("zoneout_one_keeps_the_first_states", rng, (3, 1, 2, 2), zoneouts=(1.0, 1.0))
    yield _separate("only_y", rng, (3, 2, 3, 2), outputs=1)
    yield _separate("y_and_h", rng, (3, 2, 3, 2), outputs=2)
    yield _separate("float16", rng, (3, 2, 4, 3), dtype="float16")
    yield _separate("float64_bidirectional", rng, (3, 2, 4, 3), dtype="float64", directions=2)
    yield _separate("no_steps", rng, (0, 2, 3, 2), directions=2)
    yield _separate("empty_batch", rng, (3, 0, 3, 2))
    large = (rng.normal(size=(3, 2, 3)) * 1e4).astype(np.float32)
    yield _separate("saturated_gates", rng, (3, 2, 3, 2), x=large)
    holed = rng.normal(size=(3, 2, 3)).astype(np.float32)
    holed[1, 0, 1] = np.nan
    yield _separate("nan_in_one_sequence", rng, (3, 2, 3, 2), x=holed)
    ignored: dict[str, Any] = {
        "has_bias": False,
        "input_size": 9,
        "hidden_size": 9,
        "num_layers": 1,
        "num_directions": 9,
        "dropout": 0.5,
    }
    yield _separate("attributes_without_effect", rng, (2, 2, 3, 2), **ignored)
    yield _packed("packed", rng, (3, 2, 4, 3))
    yield _packed("packed_no_bias", rng, (3, 2, 4, 3), biases=0)
    yield _packed("packed_two_biases", rng, (3, 2, 4, 3), biases=2)
    yield _packed("packed_bidirectional", rng, (3, 2, 4, 3), directions=2)
    yield _packed("packed_bidirectional_no_bias", rng, (3, 2, 4, 3), directions=2, biases=0)
    yield _packed("packed_bidirectional_two_biases", rng, (3, 2, 4, 3), directions=2, biases=2)
    yield _packed("packed_projection", rng, (3, 2, 4, 5), projection=3)
    yield _packed("packed_projection_bidirectional_two_biases", rng, (3, 2, 4, 5), projection=2, directions=2, biases=2)
    yield _packed("packed_layers", rng, (3, 2, 4, 3), layers=2)
    yield _packed("packed_layers_bidirectional_two_biases", rng, (3, 2, 4, 3), layers=3, directions=2, biases=2)
    yield _packed("packed_layers_bidirectional_projection", rng, (2, 2, 4, 3), layers=2, directions=2, projection=2)
    yield _packed("packed_zoneout", rng, (4, 1, 3, 2), zoneouts=(0.2, 0.4))
    yield _packed("packed_weight_of_rank_1", rng, (2, 2, 3, 2), weight_rank=1)
    yield _packed("packed_only_y", rng, (2, 2, 3, 2), directions=2, outputs=1)
    yield _packed("packed_float16", rng, (3, 2, 4, 3), dtype="float16")
