"""Walks: three to eight layers in a random order, the same in every run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from .draft import PatternDraft
from .layers import activation, batch_norm, conv, pool, scale, transpose
from .pattern import Pattern

C = 8
PER_LENGTH = 5
Layer = Callable[[PatternDraft, str], str]

LAYERS: Mapping[str, Layer] = {
    "conv": lambda d, x: conv(d, x, C, C),
    "pointwise": lambda d, x: conv(d, x, C, C, 1, activation_type="RELU"),
    "depthwise": lambda d, x: conv(d, x, C, C, group=C),
    "relu": lambda d, x: activation(d, x, "RELU"),
    "sigmoid": lambda d, x: activation(d, x, "SIGMOID"),
    "tanh": lambda d, x: activation(d, x, "TANH"),
    "leaky_relu": lambda d, x: d.node("LeakyRelu", x, negative_slope=0.25),
    "max_pool": lambda d, x: pool(d, x, k=3, strides=(1, 1), pad=(1, 1, 1, 1)),
    "avg_pool": lambda d, x: pool(d, x, "AvgPoolFusion", k=3, strides=(1, 1), pad=(1, 1, 1, 1)),
    "batch_norm": lambda d, x: batch_norm(d, x, C),
    "scale": lambda d, x: scale(d, x, C),
    "add": lambda d, x: d.node("AddFusion", x, d.weight(C)),
    "twice": lambda d, x: d.node("AddFusion", x, x),
    "transpose": lambda d, x: transpose(d, x, 0, 2, 1, 3),
}


def walks() -> Iterator[Pattern]:
    """Some of each length; every layer reads the one before, and some add what came two layers earlier."""
    rng = np.random.default_rng(23)
    for length in range(3, 9):
        for number in range(PER_LENGTH):
            yield _walk(PatternDraft(f"walk of {length}", f"walk_{length}_{number}"), length, rng)


def _walk(d: PatternDraft, length: int, rng: np.random.Generator) -> Pattern:
    values = [d.input(1, 6, 6, C)]
    for _ in range(length):
        if len(values) > 2 and rng.random() < 0.2:
            values.append(d.node("AddFusion", values[-1], values[-3]))
        else:
            values.append(LAYERS[str(rng.choice(list(LAYERS)))](d, values[-1]))
    return d.done(values[-1])
