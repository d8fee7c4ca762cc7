"""LSTMs with projections and zoneouts, which runtimes' LSTMs do not have: step by step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....delegate import RejectCode
from ....tensors.tensor import Array
from ..lowering import Lowering, wanted
from ..term import Shape, Term
from .elementwise import cast, unary
from .packed_lstm import LstmLayer, joined, part_of

MOST_STEPS = 64
"""Each step is a dozen nodes."""
SINGLE = np.dtype(np.float32)
Zoneouts = tuple[float, float]


def unrolled(lowering: Lowering, x: Term, states: Sequence[Term], layer: LstmLayer, zoneouts: Zoneouts) -> list[Term]:
    """One layer.

    Args:
        lowering: the lowering of the run.
        x: (T, B, I); float16 is computed in float32.
        states: the first hidden (D, B, P) and cell states (D, B, H).
        layer: the weights.
        zoneouts: the shares of the old cell and of the old hidden state that stay.

    Returns:
        The hidden state of each step (T, D, B, P), and the last states.
    """
    steps, own = x.shape[0], x.dtype
    rule = f"at most {MOST_STEPS} steps with a projection or zoneouts"
    wanted(steps <= MOST_STEPS, RejectCode.SHAPE, rule, f"has {steps}")
    wide = SINGLE if own == np.float16 else own
    x, h, c = (cast(lowering, term, wide) for term in (x, *states))
    cells = [_DirectionWeights(lowering, layer, direction, wide) for direction in range(len(layer.weight))]
    parts = [cell.run(x, h, c, zoneouts, backward=direction == 1) for direction, cell in enumerate(cells)]
    given, hidden, cell_states = zip(*parts, strict=True)
    made = [joined(lowering, given, 1), joined(lowering, hidden), joined(lowering, cell_states)]
    return [cast(lowering, term, own) for term in made]


class _DirectionWeights:
    """The weights of one direction, and their application to a sequence."""

    def __init__(self, lowering: Lowering, layer: LstmLayer, direction: int, dtype: np.dtype[np.generic]) -> None:
        self._lowering, self._direction, self._dtype = lowering, direction, dtype
        half = layer.bias.shape[1] // 2
        bias = layer.bias[direction].astype(dtype)
        self._weight = self._turned(layer.weight)
        self._state = self._turned(layer.state_weight)
        self._bias = lowering.array(bias[:half] + bias[half:])
        self._projection = None if layer.projection is None else self._turned(layer.projection)
        self._hidden = half // 4

    def _turned(self, weights: Array) -> Term:
        return self._lowering.array(np.ascontiguousarray(weights[self._direction].astype(self._dtype).T))

    def run(self, x: Term, h: Term, c: Term, zoneouts: Zoneouts, *, backward: bool) -> tuple[Term, Term, Term]:
        """All hidden states (T, 1, B, P), and the last states (1, B, P) and (1, B, H)."""
        steps, batch, _ = x.shape
        rows = 4 * self._hidden
        gates = self._times(x, self._weight)
        gates = self._of("Add", [gates, self._bias], gates.shape)
        each = [(self._dtype, (1, batch, rows))] * steps
        ones = self._lowering.ints([1] * steps)
        of_steps = self._lowering.emit_several("Split", [gates, ones], each, axis=0) if steps > 1 else [gates]
        h, c = (part_of(self._lowering, state, self._direction, 1) for state in (h, c))
        given: list[Term] = []
        for of_input in reversed(of_steps) if backward else of_steps:
            y, cell = self._step(of_input, h, c)
            given.append(y)
            h, c = self._zoned_out(h, y, zoneouts[1]), self._zoned_out(c, cell, zoneouts[0])
        y = joined(self._lowering, given[::-1] if backward else given)
        shape = (steps, 1, batch, y.shape[2])
        return self._lowering.emit("Reshape", [y, self._lowering.ints(shape)], self._dtype, shape), h, c

    def _step(self, of_input: Term, h: Term, c: Term) -> tuple[Term, Term]:
        """``c' = f * c + i * tanh(g)``, ``h' = o * tanh(c')``, projected."""
        both = self._of("Add", [of_input, self._times(h, self._state)], of_input.shape)
        sizes = self._lowering.ints([self._hidden] * 4)
        i, o, f, g = self._lowering.emit_several("Split", [both, sizes], [(self._dtype, c.shape)] * 4, axis=2)
        i, o, f = (unary(self._lowering, "Sigmoid", gate) for gate in (i, o, f))
        kept = self._of("Mul", [f, c], c.shape)
        cell = self._of("Add", [kept, self._of("Mul", [i, unary(self._lowering, "Tanh", g)], c.shape)], c.shape)
        y = self._of("Mul", [o, unary(self._lowering, "Tanh", cell)], c.shape)
        return y if self._projection is None else self._times(y, self._projection), cell

    def _zoned_out(self, old: Term, new: Term, part: float) -> Term:
        """``part * old + (1 - part) * new``."""
        if part == 0:
            return new
        terms = [
            self._of("Mul", [term, self._lowering.scalar(factor, self._dtype)], term.shape)
            for term, factor in ((old, part), (new, 1 - part))
        ]
        return self._of("Add", terms, new.shape)

    def _times(self, x: Term, weight: Term) -> Term:
        return self._of("MatMul", [x, weight], (*x.shape[:-1], weight.shape[1]))

    def _of(self, op: str, operands: list[Term], shape: Shape) -> Term:
        return self._lowering.emit(op, operands, self._dtype, shape)
