"""Chains of 8-bit integers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from lite_delegate_kernels import NodeQuantization, Quantization

from .draft import PatternDraft
from .pattern import Pattern

C = 8
X = Quantization((0.05,), (-7,))
Y = Quantization((0.04,), (5,))
Z = Quantization((0.03,), (-20,))


def quantized() -> Iterator[Pattern]:
    """Convolutions, sums, pools and products on integers, whose sums are exact."""
    for name, then in _FOLLOWERS.items():
        d = PatternDraft("8-bit", f"conv_{name}")
        x = _conv(d, _input(d), X, Y)
        yield d.done(d.node(then, x, quantization=NodeQuantization((Y,), (Y,)), **_ATTRIBUTES[name]))
    d = PatternDraft("8-bit", "conv_relu_pool")
    x = d.node(
        "Activation", _conv(d, _input(d), X, Y), activation_type="RELU", quantization=NodeQuantization((Y,), (Y,))
    )
    yield d.done(d.node("MaxPoolFusion", x, quantization=NodeQuantization((Y,), (Y,)), **_ATTRIBUTES["max_pool"]))
    d = PatternDraft("8-bit", "conv_fused_relu_conv")
    yield d.done(_conv(d, _conv(d, _input(d), X, Y, activation_type="RELU"), Y, Z))
    for activation in ("NO_ACTIVATION", "RELU"):
        d = PatternDraft("8-bit", f"residual_{activation.lower()}")
        x = _input(d)
        q = NodeQuantization((Y, X), (Z,))
        yield d.done(d.node("AddFusion", _conv(d, x, X, Y), x, quantization=q, activation_type=activation))
    d = PatternDraft("8-bit", "conv_conv_pool")
    x = _conv(d, _conv(d, _input(d), X, Y), Y, Z)
    yield d.done(d.node("AvgPoolFusion", x, quantization=NodeQuantization((Z,), (Z,)), **_ATTRIBUTES["avg_pool"]))


_FOLLOWERS = {"max_pool": "MaxPoolFusion", "avg_pool": "AvgPoolFusion", "relu": "Activation"}
_ATTRIBUTES: dict[str, dict[str, Any]] = {
    "max_pool": {"kernel_size": (2, 2), "strides": (2, 2)},
    "avg_pool": {"kernel_size": (2, 2), "strides": (2, 2)},
    "relu": {"activation_type": "RELU"},
}


def _input(d: PatternDraft) -> str:
    return d.given(d.rng.integers(-128, 128, (1, 6, 8, C)).astype(np.int8))


def _conv(d: PatternDraft, x: str, given: Quantization, made: Quantization, **attributes: Any) -> str:
    """A convolution with one scale per channel, whose results fill the range."""
    weight = d.constant(d.rng.integers(-127, 128, (C, 3, 3, C)).astype(np.int8))
    bias = d.constant(d.rng.integers(-2000, 2000, C).astype(np.int32))
    scales = tuple(float(s) for s in np.linspace(0.0008, 0.0016, C, dtype=np.float32))
    q = NodeQuantization((given, Quantization(scales, (0,) * C), None), (made,))
    shape = {"kernel_size": (3, 3), "group": 1, "pad_list": (1, 1, 1, 1), "in_channel": C, "out_channel": C}
    return d.node("Conv2DFusion", x, weight, bias, quantization=q, **shape, **attributes)
