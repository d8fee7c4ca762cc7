"""ONNX's recurrent operators, one sequence, one direction, one number at a time, for case files."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...judging.case import Array, ConformanceCase
from .recurrent import Floats, dot, sigmoid

Gate = Callable[[float], float]
Step = Callable[["Cell", Floats, list[Floats]], list[Floats]]
"""The cell, a time step's input and the states, to the next states; the first is what the step gives."""


class Cell:
    """One direction's weights and activations.

    Args:
        w: (G * H, I).
        r: (G * H, H).
        b: (2 * G * H,).
        p: peepholes, (3 * H,).
        gates: activations.
        options: attributes of the operator.
    """

    def __init__(self, w: Array, r: Array, b: Array, p: Array, gates: Sequence[Gate], options: Mapping[str, Any]):
        self.w, self.r, self.b, self.p, self.gates, self.options = w, r, b, p, gates, options
        self.size = r.shape[1]

    def of_input(self, row: int, x: Floats) -> float:
        """The contribution of the input to a row of the gates."""
        return dot(self.w[row], x) + float(self.b[row])

    def of_state(self, row: int, h: Floats) -> float:
        """The contribution of the state to a row of the gates."""
        return dot(self.r[row], h) + float(self.b[len(self.b) // 2 + row])

    def activate(self, number: int, value: float) -> float:
        """An activation of what is clipped first."""
        clip = self.options.get("clip", 0.0)
        return self.gates[number](min(max(value, -clip), clip) if clip else value)


def step_rnn(cell: Cell, x: Floats, states: list[Floats]) -> list[Floats]:
    """The next hidden state."""
    (h,) = states
    return [[cell.activate(0, cell.of_input(k, x) + cell.of_state(k, h)) for k in range(cell.size)]]


def step_gru(cell: Cell, x: Floats, states: list[Floats]) -> list[Floats]:
    """The next hidden state; rows are those of update, reset, candidate."""
    (h,), n = states, cell.size
    update, reset = (
        [cell.activate(0, cell.of_input(first + k, x) + cell.of_state(first + k, h)) for k in range(n)]
        for first in (0, n)
    )
    held = [reset[k] * h[k] for k in range(n)]
    candidate = []
    for k in range(n):
        row = 2 * n + k
        if cell.options.get("linear_before_reset"):
            given = reset[k] * cell.of_state(row, h)
        else:
            given = cell.of_state(row, held)
        candidate.append(cell.activate(1, cell.of_input(row, x) + given))
    return [[(1 - update[k]) * candidate[k] + update[k] * h[k] for k in range(n)]]


def step_lstm(cell: Cell, x: Floats, states: list[Floats]) -> list[Floats]:
    """The next hidden and cell states; rows are those of input, output, forget, cell; peepholes of the first three."""
    (h, c), n = states, cell.size
    hidden, cells = [], []
    for k in range(n):
        i, o, f, g = (cell.of_input(gate * n + k, x) + cell.of_state(gate * n + k, h) for gate in range(4))
        entry = cell.activate(0, i + float(cell.p[k]) * c[k])
        forgotten = cell.activate(0, f + float(cell.p[2 * n + k]) * c[k])
        kept = 1 - entry if cell.options.get("input_forget") else forgotten
        new = kept * c[k] + entry * cell.activate(1, g)
        exit = cell.activate(0, o + float(cell.p[n + k]) * new)
        hidden.append(exit * cell.gates[2](new))
        cells.append(new)
    return [hidden, cells]


STEPS: dict[str, tuple[Step, int, int, list[Gate]]] = {
    "RNN": (step_rnn, 1, 1, [math.tanh]),
    "GRU": (step_gru, 3, 1, [sigmoid, math.tanh]),
    "LSTM": (step_lstm, 4, 2, [sigmoid, math.tanh, math.tanh]),
}
"""One step, the number of gates, of states, the usual activations."""


def recurrent_case(
    op: str,
    name: str,
    rng: np.random.Generator,
    *,
    sizes: tuple[int, int, int, int] = (3, 2, 4, 3),
    lengths: Sequence[int] | None = None,
    absent: Sequence[int] = (),
    outputs: int = 0,
    dtype: str = "float32",
    scale: float = 1.0,
    gates: Sequence[Gate] = (),
    fixed: frozenset[int] = frozenset({1, 2, 3, 4, 7}),
    **attributes: Any,
) -> ConformanceCase:
    """A case of one node.

    Args:
        op: "RNN", "GRU" or "LSTM".
        name: of the case.
        rng: for weights, inputs and states.
        sizes: T, B, I and H.
        lengths: how many time steps each sequence has; absent where None.
        absent: the places of operands that are left out: 3 is the bias, 5 and 6 the states, 7 the peepholes.
        outputs: how many there are; 0: all.
        dtype: of all floats.
        scale: of the input.
        gates: activations, for all directions, where the attributes name others than the usual ones.
        fixed: the places of operands that are constant.
        attributes: ONNX's.
    """
    step, count, states, usual = STEPS[op]
    steps, batch, features, hidden = sizes
    backward = {"reverse": [True], "bidirectional": [False, True]}.get(attributes.get("direction", ""), [False])
    d, rows = len(backward), count * hidden
    shapes = [(d, rows, features), (d, rows, hidden), (d, 2 * rows)]
    w, r, b = ((rng.normal(size=shape) * 0.6).astype(dtype) for shape in shapes)
    first = [rng.normal(size=(d, batch, hidden)).astype(dtype) for _ in range(states)]
    p = (rng.normal(size=(d, 3 * hidden)) * 0.6).astype(dtype)
    x = (rng.normal(size=(steps, batch, features)) * scale).astype(dtype)
    seen = [np.zeros_like(a) if place in absent else a for place, a in ((3, b), (5, first[0]), (6, first[-1]), (7, p))]
    begins = [seen[1], seen[2]][:states]
    functions = list(gates) or usual * d
    cells = [
        Cell(w[n], r[n], seen[0][n], seen[3][n], functions[n * len(usual) : (n + 1) * len(usual)], attributes)
        for n in range(d)
    ]
    ends = [steps] * batch if lengths is None else list(lengths)
    y, last = _run(step, cells, backward, x, begins, ends)
    counts = None if lengths is None else np.array(lengths, np.int32)
    inputs = [x, w, r, b, counts, *first, *([p] if op == "LSTM" else [])]
    results = [y, *last]
    if attributes.get("layout"):
        _put_batch_first(inputs, results)
    given = _without(inputs, absent)
    tolerance = {"float16": 2e-3, "float64": 1e-12}.get(dtype, 1e-5)
    wanted = tuple(np.ascontiguousarray(a.astype(dtype)) for a in results[: outputs or len(results)])
    constants = frozenset(place for place in fixed if place < len(given) and given[place] is not None)
    everything = {"hidden_size": hidden, **attributes}
    return ConformanceCase(name, f"ai.onnx.{op}", tuple(given), wanted, everything, constants, tolerance, tolerance)


def _put_batch_first(inputs: list[Array | None], results: list[Array]) -> None:
    """Operands and results in the order of ``layout`` 1: sequences before steps and directions."""
    for place in (0, 5, 6):
        array = inputs[place] if place < len(inputs) else None
        if array is not None:
            inputs[place] = array.swapaxes(0, 1)
    results[:] = [results[0].transpose(2, 0, 1, 3), *(end.swapaxes(0, 1) for end in results[1:])]


def _without(inputs: Sequence[Array | None], absent: Sequence[int]) -> list[Array | None]:
    """Operands without those that are left out, nor any absent one at the end."""
    given = [None if place in absent or a is None else np.ascontiguousarray(a) for place, a in enumerate(inputs)]
    while given[-1] is None:
        given.pop()
    return given


def _run(
    step: Step, cells: Sequence[Cell], backward: Sequence[bool], x: Array, first: Sequence[Array], ends: Sequence[int]
) -> tuple[Array, list[Array]]:
    y = np.zeros((x.shape[0], *first[0].shape))
    last = [state.astype(np.float64) for state in first]
    for d, n in np.ndindex(*first[0].shape[:2]):
        now = [[float(v) for v in state[d, n]] for state in first]
        for t in _order(ends[n], backward[d]):
            now = step(cells[d], [float(v) for v in x[t, n]], now)
            y[t, d, n] = now[0]
        for state, value in zip(last, now, strict=True):
            state[d, n] = value
    return y, last


def _order(count: int, backward: bool) -> Iterator[int]:
    for number in range(count):
        yield count - 1 - number if backward else number


def shared_cases(op: str, rng: np.random.Generator, **attributes: Any) -> Iterator[ConformanceCase]:
    """Cases of LSTM, GRU and RNN: directions, lengths, layouts, operands left out, dtypes, clipping, extreme sizes."""

    def case(name: str, **options: Any) -> ConformanceCase:
        return recurrent_case(op, name, rng, **{"absent": (7,), **attributes, **options})

    yield case("plain")
    yield case("reverse", direction="reverse")
    yield case("bidirectional", direction="bidirectional")
    yield case("without_bias", absent=(3, 7))
    yield case("without_states", absent=(5, 6, 7), direction="bidirectional")
    yield case("only_x_and_weights", absent=(3, 5, 6, 7))
    yield case("one_step_one_sequence", sizes=(1, 1, 1, 1))
    yield case("features_17_hidden_8", sizes=(2, 3, 17, 8))
    yield case("hidden_16", sizes=(2, 1, 7, 16))
    yield case("lengths_equal", lengths=[2, 2])
    yield case("lengths_full", lengths=[3, 3])
    yield case("lengths_different", sizes=(4, 3, 3, 2), lengths=[1, 4, 2])
    yield case("lengths_different_reverse", sizes=(4, 3, 3, 2), lengths=[3, 1, 4], direction="reverse")
    yield case("lengths_different_bidirectional", sizes=(4, 3, 3, 2), lengths=[3, 1, 4], direction="bidirectional")
    yield case("lengths_zero", lengths=[0, 2], direction="bidirectional")
    yield case("lengths_given", lengths=[1, 3], fixed=frozenset({1, 2, 3}))
    yield case("lengths_without_states", lengths=[1, 3], absent=(5, 6, 7))
    yield case("weights_given", fixed=frozenset())
    yield case("batch_first", layout=1, direction="bidirectional")
    yield case("batch_first_lengths", layout=1, lengths=[1, 3])
    yield case("only_y", outputs=1)
    yield case("clip", clip=0.5, scale=3.0)
    yield case("clip_bidirectional", clip=0.25, direction="bidirectional")
    yield case("saturated", scale=1e4)
    yield case("float16", dtype="float16")
    yield case("float64", dtype="float64", direction="bidirectional")
    yield case("no_steps", sizes=(0, 2, 3, 2))
    yield case("empty_batch", sizes=(3, 0, 3, 2))
