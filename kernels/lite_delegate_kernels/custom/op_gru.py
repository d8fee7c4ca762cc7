"""GRU as ONNX has it: the reset gate before or behind the product, any activations, clipping, all directions."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .._dtypes import FLOATS
from .._kernel import Array, ArraySpec, ReferenceKernel
from ._recurrent import Cell, Choices, RecurrentStep, States, infer_recurrent, of_count, run_recurrent

_GATES = 3
_DEFAULT = ("sigmoid", "tanh")


@np.errstate(all="ignore")
def gru(
    x: Array,
    weight: Array,
    state_weight: Array,
    bias: Array | None = None,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    *,
    linear_before_reset: int = 0,
    output_count: int = 1,
    **shared: Any,
) -> Any:
    """A GRU over sequences. D is 2 for both directions, else 1; gates come in the order update, reset, hidden.

    ``z, r = f(...)``; ``h = g(x + R (r * H) + rb)``, or ``g(x + r * (R H + rb))`` with ``linear_before_reset``;
    ``H' = (1 - z) * h + z * H``.

    Args:
        x: (T, B, I), float; (B, T, I) with ``layout`` 1.
        weight: (D, 3H, I).
        state_weight: (D, 3H, H).
        bias: (D, 6H), the input's before the state's.
        sequence_lens: how many time steps each sequence has, (B,); all T where it is left out.
        initial_h: (D, B, H), or (B, D, H); zeros where it is left out.
        linear_before_reset: whether the reset gate acts behind the product.
        output_count: 1 or 2.
        shared: see ``_recurrent.Choices``.

    Returns:
        See ``_recurrent.run_recurrent``.
    """
    choices, cell = Choices(_DEFAULT, **shared), partial(_step, bool(linear_before_reset))
    found = run_recurrent(choices, x, weight, state_weight, bias, sequence_lens, [initial_h], cell)
    return of_count(found, output_count)


def infer_gru(
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
    found = infer_recurrent(choices, _GATES, x, weight, state_weight, bias, sequence_lens, [initial_h])
    return of_count(found, output_count)


def _step(reset_after: bool, own: Cell) -> RecurrentStep:
    size = 2 * own.weight.shape[1]
    both_weight, last_weight = own.weight[:size].T, own.weight[size:].T
    both_bias, last_bias = own.bias[:size], own.bias[size:]

    def step(x: Array, states: States) -> States:
        (h,) = states
        z, r = np.split(own.activate(0, x[:, :size] + h @ both_weight + both_bias), 2, axis=1)
        product = r * (h @ last_weight + last_bias) if reset_after else (r * h) @ last_weight + last_bias
        candidate = own.activate(1, x[:, size:] + product)
        return ((1 - z) * candidate + z * h,)

    return step


KERNEL = ReferenceKernel("ai.onnx.GRU", gru, infer_gru, FLOATS, needs_output_count=True)
