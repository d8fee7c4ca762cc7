"""Patterns of transformers: dense layers, attention, normalizations, layouts."""

from __future__ import annotations

from collections.abc import Iterator

from .draft import PatternDraft
from .layers import activation, attended, conv, dense, full, layer_norm, mean, relu, reshape, scalar, transpose
from .pattern import Pattern

C = 8


def mlps() -> Iterator[Pattern]:
    """Dense layers with bias and activation, one after another."""
    for kind in ("RELU", "SIGMOID", "TANH", "GELU"):
        d = PatternDraft("dense block", f"two_layers_{kind.lower()}")
        yield d.done(dense(d, activation(d, dense(d, d.input(4, C), C, 16), kind), 16, 5))
    d = PatternDraft("dense block", "full_connection_relu_twice")
    yield d.done(relu(d, full(d, relu(d, full(d, d.input(4, C), C, 16)), 16, 5)))
    d = PatternDraft("dense block", "matmul_add_relu")
    x = d.node("MatMulFusion", d.input(4, C), d.weight(C, 6))
    yield d.done(relu(d, d.node("AddFusion", x, d.weight(6))))
    d = PatternDraft("dense block", "matmul_add_before_softmax")
    x = d.node("AddFusion", d.node("MatMulFusion", d.input(4, C), d.weight(C, 6)), d.weight(6))
    yield d.done(d.node("Softmax", x, axis=(1,)))
    d = PatternDraft("dense block", "gated")
    x = d.input(4, C)
    yield d.done(d.node("MulFusion", dense(d, x, C, 6), activation(d, dense(d, x, C, 6), "SIGMOID")))
    d = PatternDraft("dense block", "residual_layer_norm")
    x = d.input(4, C)
    total = d.node("AddFusion", dense(d, x, C, C), x)
    yield d.done(layer_norm(d, total, C, 1))


def attention() -> Iterator[Pattern]:
    """Products of queries, keys and values."""
    for name, has_mask in (("plain", False), ("masked", True)):
        d = PatternDraft("attention", name)
        q, k, v = d.input(2, 5, C), d.input(2, 5, C), d.input(2, 5, C)
        yield d.done(attended(d, q, k, v, d.input(5, 5) if has_mask else None))
    d = PatternDraft("attention", "self")
    x = d.input(1, 5, C)
    yield d.done(attended(d, dense(d, x, C, C), dense(d, x, C, C), dense(d, x, C, C), None))
    d = PatternDraft("attention", "heads")
    x = d.input(5, C)
    q, k = (transpose(d, reshape(d, dense(d, x, C, C), 5, 2, 4), 1, 0, 2) for _ in range(2))
    yield d.done(d.node("MatMulFusion", q, k, transpose_b=True))


def normalizations() -> Iterator[Pattern]:
    """Normalizations as a file has them that does not know the operator."""
    d = PatternDraft("normalization", "layer_norm_in_parts")
    x = d.input(4, C)
    off = d.node("SubFusion", x, mean(d, x, 1))
    spread = d.node("Sqrt", d.node("AddFusion", mean(d, d.node("Square", off), 1), scalar(d, 1e-3)))
    yield d.done(d.node("DivFusion", off, spread))
    d = PatternDraft("normalization", "layer_norm_dense")
    yield d.done(dense(d, layer_norm(d, d.input(4, C), C, 1), C, 5))
    d = PatternDraft("normalization", "scale_then_offset")
    x = d.node("MulFusion", d.input(1, 6, 8, C), d.weight(C))
    yield d.done(d.node("AddFusion", x, d.weight(C)))


def layouts() -> Iterator[Pattern]:
    """Transposes and reshapes, between operators that care for the order of axes and such that do not."""
    d = PatternDraft("layout", "to_channels_first_and_back")
    x = activation(d, transpose(d, d.input(1, 6, 8, C), 0, 3, 1, 2), "TANH")
    yield d.done(transpose(d, x, 0, 2, 3, 1))
    d = PatternDraft("layout", "conv_transpose_relu_transpose_conv")
    x = relu(d, transpose(d, conv(d, d.input(1, 6, 8, C), C, C), 0, 3, 1, 2))
    yield d.done(conv(d, transpose(d, x, 0, 2, 3, 1), C, C))
    d = PatternDraft("layout", "conv_flattened")
    yield d.done(dense(d, reshape(d, conv(d, d.input(1, 6, 8, C), C, C), 6, 8 * C), 8 * C, 3))
    d = PatternDraft("layout", "conv_of_reshaped")
    yield d.done(conv(d, reshape(d, d.input(6, 8 * C), 1, 6, 8, C), C, C))
    d = PatternDraft("layout", "channel_shuffle")
    x = reshape(d, conv(d, d.input(1, 6, 8, C), C, C, 1), 6 * 8, 2, C // 2)
    yield d.done(reshape(d, transpose(d, x, 0, 2, 1), 1, 6, 8, C))
    d = PatternDraft("layout", "add_across_layouts")
    x = transpose(d, d.input(1, C, 6, 8), 0, 2, 3, 1)
    yield d.done(d.node("AddFusion", conv(d, d.input(1, 6, 8, C), C, C), x))
    d = PatternDraft("layout", "spatial_axes_exchanged")
    yield d.done(conv(d, transpose(d, d.input(1, 6, 8, C), 0, 2, 1, 3), C, C, stride=(2, 1)))
    d = PatternDraft("layout", "concat_after_transposes")
    parts = [transpose(d, d.input(1, 4, 6, 8), 0, 2, 3, 1) for _ in range(2)]
    yield d.done(relu(d, d.node("Concat", *parts, axis=3)))
