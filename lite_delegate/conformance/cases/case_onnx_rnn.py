"""Conformance cases of ai.onnx.RNN, one number of one sequence at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import ConformanceCase
from .loops.gates import NAMED
from .loops.onnx_recurrent import recurrent_case, shared_cases


def cases() -> Iterator[ConformanceCase]:
    """The cases shared by all recurrent operators; every activation, and another activation for each direction."""
    rng = np.random.default_rng(412)
    yield from shared_cases("RNN", rng)
    for name, numbers, function in NAMED:
        given: dict[str, Any] = {"activations": [name]}
        given |= {key: [number] for key, number in zip(("activation_alpha", "activation_beta"), numbers, strict=False)}
        yield recurrent_case("RNN", f"activation_{name}", rng, gates=[function], **given)
    (_, _, relu), (_, _, tanh) = (each for each in NAMED if each[0] in ("Relu", "Tanh"))
    names: dict[str, Any] = {"activations": ["Relu", "Tanh"], "direction": "bidirectional"}
    yield recurrent_case("RNN", "another_for_each_direction", rng, gates=[relu, tanh], **names)
