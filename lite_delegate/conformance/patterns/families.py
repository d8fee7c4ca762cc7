"""Layers by family: a family shares a kernel, a packed form or a fusion in delegates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ...basics.data_class import dataclass
from .draft import PatternDraft
from .layers import activation, attended, batch_norm, conv, dense, full, layer_norm, pool, relu, transpose

C = 8
Layer = Callable[[PatternDraft, str], str]
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


@dataclass(frozen=True, slots=True)
class LayerFamily:
    """Layers that read tensors of one shape.

    Attributes:
        shape: of what they read.
        layers: the layers by name.
    """

    shape: tuple[int, ...]
    layers: Mapping[str, Layer]


def recurrent(kind: str, d: PatternDraft, x: str, **attributes: Any) -> str:
    """A recurrent layer of ONNX (steps, batch, C) with its states (steps, directions, batch, C)."""
    directions, rows = 2 if attributes.get("direction") == "bidirectional" else 1, GATES[kind] * C
    weights = [d.weight(directions, rows, C, low=-0.5, high=0.5) for _ in range(2)]
    return d.node(f"ai.onnx.{kind}", x, *weights, d.weight(directions, 2 * rows), hidden_size=C, **attributes)


def _recurrent_layer(kind: str, direction: str, d: PatternDraft, x: str) -> str:
    return recurrent(kind, d, x, direction=direction)


def reduce(d: PatternDraft, x: str, mode: str, *axes: int, keep: bool = True) -> str:
    """A reduction over axes."""
    return d.node("ReduceFusion", x, d.ints(*axes), mode=f"Reduce{mode}", keep_dims=keep)


def _attention(d: PatternDraft, x: str, query: str, keys: str) -> str:
    made = {"same": x, "dense": dense(d, x, C, C)}
    return attended(d, made[query], made[keys], dense(d, x, C, C), None)


_PER_CHANNEL = {"scale": {"low": 0.5, "high": 1.5}, "shift": {}}


def _normalized(kind: str, d: PatternDraft, x: str, **attributes: Any) -> str:
    weights = [d.weight(C, **given) for given in _PER_CHANNEL.values()]
    return d.node(kind, x, *weights, epsilon=1e-5, **attributes)


def _transposed_conv(d: PatternDraft, x: str) -> str:
    weight = d.weight(C, 3, 3, C, low=-0.2, high=0.2)
    return d.node("Conv2dTransposeFusion", x, weight, d.weight(C), group=1, kernel_size=(3, 3))


DIRECTIONS = ("forward", "reverse", "bidirectional")
IMAGE, MATRIX, SEQUENCE = (2, 6, 8, C), (4, C), (3, 5, C)
FAMILIES: Mapping[str, LayerFamily] = {
    "convolution": LayerFamily(
        IMAGE,
        {
            "conv": lambda d, x: conv(d, x, C, C),
            "wide": lambda d, x: conv(d, x, C, 12, 5),
            "stride_2": lambda d, x: conv(d, x, C, C, stride=(2, 2)),
            "pointwise": lambda d, x: conv(d, x, C, C, 1),
            "depthwise": lambda d, x: conv(d, x, C, C, group=C),
            "transposed": _transposed_conv,
        },
    ),
    "product": LayerFamily(
        MATRIX,
        {
            "dense": lambda d, x: dense(d, x, C, C),
            "narrow": lambda d, x: dense(d, x, C, 3),
            "full": lambda d, x: full(d, x, C, C),
            "transposed_b": lambda d, x: d.node("MatMulFusion", x, d.weight(C, C), transpose_b=True),
            "transposed_a": lambda d, x: d.node("MatMulFusion", x, d.weight(4, C), transpose_a=True),
        },
    ),
    "recurrent": LayerFamily(
        SEQUENCE,
        {
            **{f"{kind.lower()}_{way}": partial(_recurrent_layer, kind, way) for kind in GATES for way in DIRECTIONS},
            "gru_forward_reset_after": lambda d, x: recurrent("GRU", d, x, linear_before_reset=1),
            "gru_reverse_reset_after": lambda d, x: recurrent("GRU", d, x, direction="reverse", linear_before_reset=1),
            "batch_first_product": lambda d, x: dense(d, transpose(d, x, 1, 0, 2), C, C),
        },
    ),
    "attention": LayerFamily(
        SEQUENCE,
        {
            "of_projections": lambda d, x: _attention(d, x, "dense", "dense"),
            "of_the_input": lambda d, x: _attention(d, x, "same", "same"),
            "of_projected_keys": lambda d, x: _attention(d, x, "same", "dense"),
        },
    ),
    "normalization": LayerFamily(
        IMAGE,
        {
            "batch": lambda d, x: batch_norm(d, x, C),
            "layer": lambda d, x: layer_norm(d, x, C, 3),
            "instance": lambda d, x: _normalized("InstanceNorm", d, x),
            "root_mean_square": lambda d, x: d.node("L2NormalizeFusion", x, axis=(3,), epsilon=1e-6),
            "softmax": lambda d, x: d.node("Softmax", x, axis=(3,)),
        },
    ),
    "pooling": LayerFamily(
        IMAGE,
        {
            "max": lambda d, x: pool(d, x),
            "average": lambda d, x: pool(d, x, "AvgPoolFusion"),
            "max_padded": lambda d, x: pool(d, x, k=3, strides=(2, 2), pad=(1, 1, 1, 1)),
            "average_padded": lambda d, x: pool(d, x, "AvgPoolFusion", k=3, strides=(2, 2), pad=(1, 1, 1, 1)),
        },
    ),
    "reduction": LayerFamily(
        IMAGE,
        {
            "mean": lambda d, x: reduce(d, x, "Mean", 1, 2),
            "max": lambda d, x: reduce(d, x, "Max", 1, 2),
            "mean_of_rows": lambda d, x: reduce(d, x, "Mean", 1),
            "sum_of_columns": lambda d, x: reduce(d, x, "Sum", 2),
            "max_of_channels": lambda d, x: reduce(d, x, "Max", 3),
            "min_without_axes": lambda d, x: reduce(d, x, "Min", 1, keep=False),
        },
    ),
    "elementwise": LayerFamily(
        IMAGE,
        {
            "relu": relu,
            "sigmoid": lambda d, x: activation(d, x, "SIGMOID"),
            "hswish": lambda d, x: activation(d, x, "HSWISH"),
            "clip": lambda d, x: d.node("Clip", x, min=-0.5, max=0.75),
            "add": lambda d, x: d.node("AddFusion", x, d.weight(C)),
            "subtract_from": lambda d, x: d.node("SubFusion", d.weight(C), x),
            "multiply": lambda d, x: d.node("MulFusion", x, d.weight(C)),
            "square": lambda d, x: d.node("MulFusion", x, x),
        },
    ),
}
