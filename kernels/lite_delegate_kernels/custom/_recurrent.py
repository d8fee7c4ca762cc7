"""The common parts of ONNX's recurrent operators: operands by direction, lengths of sequences, layouts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .._dtypes import FLOATS, check_dtype, widen
from .._expect import expect_shape
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError
from ._gates import Gate, gates_of

BACKWARD = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}
"""For each direction whether it goes from a sequence's last time step to its first."""

States = tuple[Array, ...]
RecurrentStep = Callable[[Array, States], States]
"""What the input gives to all gates (B, G * H), with its bias, and the states (B, H), to the next states."""


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """One direction of a cell.

    Attributes:
        weight: the state's, (G * H, H).
        bias: the state's, (G * H,).
        gates: its activation functions.
        clip: what goes into them stays within plus and minus this; 0: no limit.
        number: of the direction.
    """

    weight: Array
    bias: Array
    gates: Sequence[Gate]
    clip: float
    number: int

    def activate(self, number: int, x: Array) -> Array:
        """Activation ``number`` of ``x``, which is clipped first."""
        return self.gates[number](np.clip(x, -self.clip, self.clip) if self.clip > 0 else x)


@dataclass(frozen=True, slots=True)
class Choices:
    """The attributes that the operators share, under ONNX's names.

    Attributes:
        default: the usual activation functions of one direction; as many of them are needed.
        hidden_size: no effect; the weights say it.
        direction: "forward", "reverse" or "bidirectional".
        layout: 1 where the batch is the first axis, before the time.
        activations: names, of all directions; None for the usual ones.
        activation_alpha: their first numbers.
        activation_beta: their second numbers.
        clip: what goes into activations stays within plus and minus this; 0: no limit.
    """

    default: Sequence[str]
    hidden_size: int | None = None
    direction: str = "forward"
    layout: int = 0
    activations: Sequence[str] | None = None
    activation_alpha: Sequence[float] | None = None
    activation_beta: Sequence[float] | None = None
    clip: float = 0.0

    def gates(self) -> list[list[Gate]]:
        """The functions of each direction; raises KernelInputError for what ONNX has not."""
        if self.direction not in BACKWARD:
            raise KernelInputError(f"direction must be one of {list(BACKWARD)}, got {self.direction!r}")
        if self.clip < 0:
            raise KernelInputError(f"clip must be >= 0, found {self.clip:g}")
        count = len(BACKWARD[self.direction])
        return gates_of(self.activations, self.activation_alpha, self.activation_beta, self.default, count)


def run_recurrent(
    choices: Choices,
    x: Array,
    weight: Array,
    state_weight: Array,
    bias: Array | None,
    lengths: Array | None,
    first: Sequence[Array | None],
    cell: Callable[[Cell], RecurrentStep],
) -> tuple[Array, ...]:
    """The hidden states of all time steps, (T, D, B, H), and the last states, (D, B, H) each.

    Those of steps past a sequence's end are 0; the last states are those at a sequence's own end. With ``layout`` 1
    the batch is the first axis of ``x``, states and results. float16 is computed in float32.

    Raises:
        KernelInputError: a length that is not in ``[0, T]``.
    """
    batch_first, dtype = bool(choices.layout), x.dtype
    x = widen(x.swapaxes(0, 1) if batch_first else x)
    steps, batch = x.shape[:2]
    directions, rows, hidden = state_weight.shape
    if lengths is not None and (lengths.min(initial=0) < 0 or lengths.max(initial=0) > steps):
        raise KernelInputError(f"sequence lengths must be in 0..{steps}, got {lengths.tolist()}")
    wide_bias = np.zeros((directions, 2 * rows), x.dtype) if bias is None else widen(bias)
    states = [_state(state, (directions, batch, hidden), x, batch_first) for state in first]
    y = np.zeros((steps, directions, batch, hidden), x.dtype)
    last = []
    for d, (backward, gates) in enumerate(zip(BACKWARD[choices.direction], choices.gates(), strict=True)):
        step = cell(Cell(widen(state_weight[d]), wide_bias[d, rows:], gates, choices.clip, d))
        given = x.reshape(steps * batch, x.shape[2]) @ widen(weight[d]).T + wide_bias[d, :rows]
        now = tuple(state[d] for state in states)
        inputs = given.reshape(steps, batch, rows)
        last.append(_along(inputs, now, lengths, step, y[:, d], backward=backward))
    ends = [np.stack(each) for each in zip(*last, strict=True)]
    if batch_first:
        y, ends = y.transpose(2, 0, 1, 3), [end.swapaxes(0, 1) for end in ends]
    return tuple(np.ascontiguousarray(each.astype(dtype, copy=False)) for each in (y, *ends))


def infer_recurrent(
    choices: Choices,
    gates: int,
    x: ArraySpec,
    weight: ArraySpec,
    state_weight: ArraySpec,
    bias: ArraySpec | None,
    lengths: ArraySpec | None,
    first: Sequence[ArraySpec | None],
) -> tuple[ArraySpec, ...]:
    """The specs of all hidden states and the last states; raises KernelInputError for what does not fit."""
    batch_first, count = bool(choices.layout), len(choices.gates())
    for i, spec in enumerate((x, weight, state_weight, bias)):
        if spec is not None:
            check_dtype(spec, FLOATS, f"input {i}")
    _, rows, hidden = expect_shape("state weight", state_weight, (count, UNKNOWN, UNKNOWN))
    rows = gates * hidden if hidden != UNKNOWN else rows
    expect_shape("state weight", state_weight, (count, rows, hidden))
    _, _, features = expect_shape("weight", weight, (count, rows, UNKNOWN))
    one, two, _ = expect_shape("x", x, (UNKNOWN, UNKNOWN, features))
    steps, batch = (two, one) if batch_first else (one, two)
    if bias is not None:
        expect_shape("bias", bias, (count, UNKNOWN if rows == UNKNOWN else 2 * rows))
    if lengths is not None:
        check_dtype(lengths, ("int32", "int64"), "sequence_lens")
        (batch,) = expect_shape("sequence_lens", lengths, (batch,))
    for i, state in enumerate(first):
        if state is not None:
            check_dtype(state, FLOATS, f"state {i}")
            shape = expect_shape(f"state {i}", state, (batch, count, hidden) if batch_first else (count, batch, hidden))
            batch = shape[0 if batch_first else 1]
    y = (batch, steps, count, hidden) if batch_first else (steps, count, batch, hidden)
    end = (batch, count, hidden) if batch_first else (count, batch, hidden)
    return ArraySpec(x.dtype, y), *(ArraySpec(x.dtype, end) for _ in first)


def of_count(outputs: tuple[object, ...], count: int) -> object:
    """The first ``count`` of the results: one alone, or a tuple; raises KernelInputError where there are fewer."""
    if not 1 <= count <= len(outputs):
        raise KernelInputError(f"1 to {len(outputs)} outputs expected, got {count}")
    return outputs[0] if count == 1 else outputs[:count]


def _along(
    inputs: Array, states: States, lengths: Array | None, step: RecurrentStep, y: Array, *, backward: bool
) -> tuple[Array, ...]:
    """The last states; ``y`` (T, B, H) takes what each step gives."""
    for t in reversed(range(len(inputs))) if backward else range(len(inputs)):
        new = step(inputs[t], states)
        if lengths is not None:
            inside = (t < lengths)[:, None]
            y[t] = np.where(inside, new[0], 0)
            new = tuple(np.where(inside, each, old) for each, old in zip(new, states, strict=True))
        else:
            y[t] = new[0]
        states = new
    return states


def _state(given: Array | None, shape: tuple[int, ...], x: Array, batch_first: bool) -> Array:
    if given is None:
        return np.zeros(shape, x.dtype)
    return widen(given.swapaxes(0, 1) if batch_first else given)
