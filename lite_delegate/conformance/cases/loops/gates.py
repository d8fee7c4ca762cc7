"""Activation functions of ONNX's recurrent operators on Python's own numbers, for case files."""

from __future__ import annotations

import math
from collections.abc import Callable

from .recurrent import sigmoid

NAMED: list[tuple[str, tuple[float, ...], Callable[[float], float]]] = [
    ("Affine", (0.7, 0.1), lambda v: 0.7 * v + 0.1),
    ("Elu", (0.8,), lambda v: v if v > 0 else 0.8 * (math.exp(v) - 1)),
    ("HardSigmoid", (0.3, 0.4), lambda v: min(max(0.3 * v + 0.4, 0.0), 1.0)),
    ("LeakyRelu", (0.2,), lambda v: v if v > 0 else 0.2 * v),
    ("Relu", (), lambda v: max(v, 0.0)),
    ("ScaledTanh", (0.9, 0.6), lambda v: 0.9 * math.tanh(0.6 * v)),
    ("Sigmoid", (), sigmoid),
    ("Softplus", (), lambda v: math.log1p(math.exp(v))),
    ("Softsign", (), lambda v: v / (1 + abs(v))),
    ("Tanh", (), math.tanh),
    ("ThresholdedRelu", (0.1,), lambda v: v if v > 0.1 else 0.0),
]
"""Name, the numbers that it is given, the function."""
