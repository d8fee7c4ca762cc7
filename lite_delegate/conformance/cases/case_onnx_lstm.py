"""Conformance cases of ai.onnx.LSTM, one gate of one sequence at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import ConformanceCase
from .loops.gates import NAMED
from .loops.onnx_recurrent import recurrent_case, shared_cases


def cases() -> Iterator[ConformanceCase]:
    """The cases shared by all recurrent operators; peepholes, coupled gates, other activations."""
    rng = np.random.default_rng(413)
    yield from shared_cases("LSTM", rng)
    yield recurrent_case("LSTM", "peepholes", rng)
    yield recurrent_case("LSTM", "peepholes_bidirectional", rng, direction="bidirectional")
    yield recurrent_case("LSTM", "peepholes_alone", rng, absent=(3, 5, 6))
    yield recurrent_case("LSTM", "peepholes_lengths_clip", rng, lengths=[3, 1], clip=0.5)
    yield recurrent_case("LSTM", "coupled_gates", rng, input_forget=1)
    yield recurrent_case("LSTM", "coupled_gates_without_peepholes", rng, input_forget=1, absent=(7,))
    yield recurrent_case("LSTM", "without_first_cells", rng, absent=(6, 7))
    by_name = {name: function for name, _, function in NAMED}
    hard, leaky = by_name["HardSigmoid"], by_name["LeakyRelu"]
    given: dict[str, Any] = {"activations": ["HardSigmoid", "Tanh", "LeakyRelu"]}
    given |= {"activation_alpha": [0.3, 0.2], "activation_beta": [0.4]}
    yield recurrent_case("LSTM", "activations", rng, absent=(7,), gates=[hard, math.tanh, leaky], **given)
