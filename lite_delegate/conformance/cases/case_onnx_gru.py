"""Conformance cases of ai.onnx.GRU, one gate of one sequence at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import ConformanceCase
from .loops.gates import NAMED
from .loops.onnx_recurrent import recurrent_case, shared_cases
from .loops.recurrent import sigmoid


def cases() -> Iterator[ConformanceCase]:
    """The reset gate behind the product and before it, every activation as that of the candidate."""
    rng = np.random.default_rng(411)
    yield from shared_cases("GRU", rng, linear_before_reset=1)
    yield recurrent_case("GRU", "reset_before", rng)
    yield recurrent_case("GRU", "reset_before_lengths_reverse", rng, lengths=[1, 3], direction="reverse")
    yield recurrent_case("GRU", "reset_before_clip", rng, clip=0.5, scale=2.0)
    for name, numbers, function in NAMED:
        given: dict[str, Any] = {"activations": ["Sigmoid", name]}
        given |= {key: [number] for key, number in zip(("activation_alpha", "activation_beta"), numbers, strict=False)}
        gates = [sigmoid, function]
        yield recurrent_case("GRU", f"candidate_{name}", rng, gates=gates, linear_before_reset=1, **given)
