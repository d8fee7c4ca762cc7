"""Pairs: every layer that computes, followed by every one that delegates fuse into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from .draft import PatternDraft
from .layers import activation, batch_norm, conv, dense, full, pool, relu, scale
from .pattern import Pattern

C = 8
Layer = Callable[[PatternDraft, str], str]

IMAGES: Mapping[str, Layer] = {
    "conv": lambda d, x: conv(d, x, C, C),
    "conv_relu": lambda d, x: conv(d, x, C, C, activation_type="RELU"),
    "pointwise": lambda d, x: conv(d, x, C, C, 1),
    "depthwise": lambda d, x: conv(d, x, C, C, group=C),
    "conv_transpose": lambda d, x: d.node(
        "Conv2dTransposeFusion", x, d.weight(C, 3, 3, C, low=-0.2, high=0.2), d.weight(C), group=1, kernel_size=(3, 3)
    ),
    "add": lambda d, x: d.node("AddFusion", x, d.weight(C)),
    "mul": lambda d, x: d.node("MulFusion", x, d.weight(C)),
    "avg_pool": lambda d, x: pool(d, x, "AvgPoolFusion"),
    "max_pool": lambda d, x: pool(d, x),
    "batch_norm": lambda d, x: batch_norm(d, x, C),
    "scale": lambda d, x: scale(d, x, C),
    "resize": lambda d, x: d.node("Resize", x, method="NEAREST", new_height=12, new_width=16),
}
MATRICES: Mapping[str, Layer] = {
    "matmul": lambda d, x: dense(d, x, C, C),
    "full_connection": lambda d, x: full(d, x, C, C),
    "layer_norm": lambda d, x: d.node(
        "LayerNormFusion", x, d.weight(C), d.weight(C), begin_norm_axis=1, begin_params_axis=1, epsilon=1e-5
    ),
    "softmax": lambda d, x: d.node("Softmax", x, axis=(1,)),
}
FOLLOWERS: Mapping[str, Layer] = {
    "relu": relu,
    "relu6": lambda d, x: activation(d, x, "RELU6"),
    "leaky_relu": lambda d, x: d.node("LeakyRelu", x, negative_slope=0.25),
    "sigmoid": lambda d, x: activation(d, x, "SIGMOID"),
    "tanh": lambda d, x: activation(d, x, "TANH"),
    "hswish": lambda d, x: activation(d, x, "HSWISH"),
    "clip": lambda d, x: d.node("Clip", x, min=-0.5, max=0.75),
    "prelu": lambda d, x: d.node("PReLUFusion", x, d.weight(C)),
    "scale": lambda d, x: scale(d, x, C),
    "batch_norm": lambda d, x: batch_norm(d, x, C),
    "bias": lambda d, x: d.node("BiasAdd", x, d.weight(C), format="NHWC"),
    "mul": lambda d, x: d.node("MulFusion", x, d.weight(C)),
    "sub": lambda d, x: d.node("SubFusion", x, d.weight(C)),
}
POOLS: Mapping[str, Layer] = {
    "max_pool": lambda d, x: pool(d, x),
    "avg_pool": lambda d, x: pool(d, x, "AvgPoolFusion"),
    "max_pool_padded": lambda d, x: pool(d, x, k=3, strides=(2, 2), pad=(1, 1, 1, 1)),
    "avg_pool_padded": lambda d, x: pool(d, x, "AvgPoolFusion", k=3, strides=(2, 2), pad=(1, 1, 1, 1)),
}


def pairs() -> Iterator[Pattern]:
    """Two nodes each."""
    for name, layer in IMAGES.items():
        for follower, then in {**FOLLOWERS, **POOLS}.items():
            if name != follower:
                family = f"{name} + pool" if follower in POOLS else f"{name} + elementwise"
                yield _pair(PatternDraft(family, f"{name}_{follower}"), (1, 6, 8, C), layer, then)
    for name, layer in MATRICES.items():
        for follower, then in FOLLOWERS.items():
            yield _pair(PatternDraft(f"{name} + elementwise", f"{name}_{follower}"), (4, C), layer, then)


def _pair(d: PatternDraft, shape: tuple[int, ...], layer: Layer, then: Layer) -> Pattern:
    return d.done(then(d, layer(d, d.input(*shape))))
