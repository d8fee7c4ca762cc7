"""RNN as ONNX has it: any activation, clipping, all directions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._dtypes import FLOATS
from .._kernel import Array, ArraySpec, ReferenceKernel
from ._recurrent import Cell, Choices, RecurrentStep, States, infer_recurrent, of_count, run_recurrent

_DEFAULT = ("tanh",)


@np.errstate(all="ignore")
def rnn(
    x: Array,
    weight: Array,
    state_weight: Array,
    bias: Array | None = None,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    *,
    output_count: int = 1,
    **shared: Any,
) -> Any:
    """``H' = f(W x + b + R H + rb)`` over sequences. D is 2 for both directions, else 1.

    Args:
        x: (T, B, I), float; (B, T, I) with ``layout`` 1.
        weight: (D, H, I).
        state_weight: (D, H, H).
        bias: (D, 2H), the input's before the state's.
        sequence_lens: how many time steps each sequence has, (B,); all T where it is left out.
        initial_h: (D, B, H), or (B, D, H); zeros where it is left out.
        output_count: 1 or 2.
        shared: see ``_recurrent.Choices``.

    Returns:
        See ``_recurrent.run_recurrent``.
    """
    choices = Choices(_DEFAULT, **shared)
    found = run_recurrent(choices, x, weight, state_weight, bias, sequence_lens, [initial_h], _step)
    return of_count(found, output_count)


def infer_rnn(
    x: ArraySpec,
    weight: ArraySpec,
    state_weight: ArraySpec,
    bias: ArraySpec | None = None,
    sequence_lens: ArraySpec | None = None,
    initial_h: ArraySpec | None = None,
    *,
    output_count: int,
    **shared: Any,
) -> Any:
    """The specs of all hidden states and the last; raises KernelInputError for what does not fit."""
    choices = Choices(_DEFAULT, **shared)
    found = infer_recurrent(choices, 1, x, weight, state_weight, bias, sequence_lens, [initial_h])
    return of_count(found, output_count)


def _step(own: Cell) -> RecurrentStep:
    weight = own.weight.T

    def step(x: Array, states: States) -> States:
        return (own.activate(0, x + states[0] @ weight + own.bias),)

    return step


KERNEL = ReferenceKernel("ai.onnx.RNN", rnn, infer_rnn, FLOATS, needs_output_count=True)
