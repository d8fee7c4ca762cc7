"""LSTM as ONNX has it: peepholes, coupled gates, any activations, clipping, all directions."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .._dtypes import FLOATS, check_dtype, widen
from .._expect import expect_shape
from .._kernel import UNKNOWN, Array, ArraySpec, ReferenceKernel
from ._recurrent import Cell, Choices, RecurrentStep, States, infer_recurrent, of_count, run_recurrent

_GATES = 4
_DEFAULT = ("sigmoid", "tanh", "tanh")


@np.errstate(all="ignore")
def lstm(
    x: Array,
    weight: Array,
    state_weight: Array,
    bias: Array | None = None,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    initial_c: Array | None = None,
    peephole: Array | None = None,
    *,
    input_forget: int = 0,
    output_count: int = 1,
    **shared: Any,
) -> Any:
    """An LSTM over sequences. D is 2 for both directions, else 1; gates come in the order input, output, forget, cell.

    ``i, f = f(... + P * C)``, ``C' = f * C + i * g(...)``, ``o = f(... + P * C')``, ``H' = o * h(C')``.

    Args:
        x: (T, B, I), float; (B, T, I) with ``layout`` 1.
        weight: (D, 4H, I).
        state_weight: (D, 4H, H).
        bias: (D, 8H), the input's before the state's.
        sequence_lens: how many time steps each sequence has, (B,); all T where it is left out.
        initial_h: (D, B, H), or (B, D, H); zeros where it is left out.
        initial_c: the same for the cell's state.
        peephole: (D, 3H), of input, output, forget.
        input_forget: whether the forget gate is 1 minus the input gate.
        output_count: 1 to 3.
        shared: see ``_recurrent.Choices``.

    Returns:
        See ``_recurrent.run_recurrent``.

    NOTE: as in ONNX Runtime, the cell's state is not clipped before ``h``.
    """
    first = [initial_h, initial_c]
    cell = partial(_step, None if peephole is None else widen(peephole), bool(input_forget))
    found = run_recurrent(Choices(_DEFAULT, **shared), x, weight, state_weight, bias, sequence_lens, first, cell)
    return of_count(found, output_count)


def infer_lstm(
    x: ArraySpec,
    weight: ArraySpec,
    state_weight: ArraySpec,
    bias: ArraySpec | None = None,
    sequence_lens: ArraySpec | None = None,
    initial_h: ArraySpec | None = None,
    initial_c: ArraySpec | None = None,
    peephole: ArraySpec | None = None,
    *,
    output_count: int,
    **shared: Any,
) -> Any:
    """The specs of all hidden states, the last and the last cells; raises KernelInputError for what does not fit."""
    choices, first = Choices(_DEFAULT, **shared), [initial_h, initial_c]
    found = infer_recurrent(choices, _GATES, x, weight, state_weight, bias, sequence_lens, first)
    if peephole is not None:
        check_dtype(peephole, FLOATS, "peephole")
        directions, _, hidden = expect_shape("state weight", state_weight, (UNKNOWN,) * 3)
        expect_shape("peephole", peephole, (directions, UNKNOWN if hidden == UNKNOWN else 3 * hidden))
    return of_count(found, output_count)


def _step(peepholes: Array | None, coupled: bool, own: Cell) -> RecurrentStep:
    weight = own.weight.T
    of_i, of_o, of_f = (None,) * 3 if peepholes is None else np.split(peepholes[own.number], 3)

    def step(x: Array, states: States) -> States:
        h, c = states
        i, o, f, g = np.split(x + h @ weight + own.bias, 4, axis=1)
        i = own.activate(0, _peeped(i, of_i, c))
        f = 1 - i if coupled else own.activate(0, _peeped(f, of_f, c))
        new = f * c + i * own.activate(1, g)
        return own.activate(0, _peeped(o, of_o, new)) * own.gates[2](new), new

    return step


def _peeped(gate: Array, peephole: Array | None, c: Array) -> Array:
    return gate if peephole is None else gate + peephole * c


KERNEL = ReferenceKernel("ai.onnx.LSTM", lstm, infer_lstm, FLOATS, needs_output_count=True)
