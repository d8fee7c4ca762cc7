"""Shared tensors: an input, an output that is also one of the model's, or a constant that several operators share."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from .draft import PatternDraft
from .families import FAMILIES, GATES
from .layers import activation, relu
from .pattern import Pattern

C = 8


def shared_inputs() -> Iterator[Pattern]:
    """Each two layers of a family on one input, the same layer with other weights, too."""
    for family, found in FAMILIES.items():
        for first, second in combinations_with_replacement(found.layers, 2):
            d = PatternDraft(f"{family} + {family}", f"{first}_{second}_of_one_input")
            x = d.input(*found.shape)
            yield d.done(found.layers[first](d, x), found.layers[second](d, x))


def shared_outputs() -> Iterator[Pattern]:
    """An output of each layer that two operators read, and that is an output of the model."""
    for family, found in FAMILIES.items():
        for name, layer in found.layers.items():
            d = PatternDraft(f"{family} read twice", f"{name}_read_twice_and_given")
            y = layer(d, d.input(*found.shape))
            yield d.done(relu(d, y), y, activation(d, y, "TANH"))


def shared_constants() -> Iterator[Pattern]:
    """One constant in two operators, which may need it in two forms."""
    d = PatternDraft("shared constant", "kernel_of_two_strides")
    x, weight, bias = d.input(2, 6, 8, C), d.weight(C, 3, 3, C, low=-0.2, high=0.2), d.weight(C)
    yield d.done(*[_conv(d, x, weight, bias, stride) for stride in (1, 2)])
    d = PatternDraft("shared constant", "kernel_of_a_conv_and_a_depthwise")
    x, weight, bias = d.input(2, 6, 8, C), d.weight(C, 3, 3, 1), d.weight(C)
    yield d.done(_conv(d, x, weight, bias, 1, group=C), d.node("MulFusion", weight, d.input(1)))
    d = PatternDraft("shared constant", "bias_and_sum")
    x, weight, bias = d.input(2, 6, 8, C), d.weight(C, 3, 3, C, low=-0.2, high=0.2), d.weight(C)
    yield d.done(_conv(d, x, weight, bias, 1), d.node("AddFusion", x, bias))
    d = PatternDraft("shared constant", "matrix_both_ways")
    x, weight = d.input(4, C), d.weight(C, C)
    yield d.done(d.node("MatMulFusion", x, weight), d.node("MatMulFusion", x, weight, transpose_b=True))
    d = PatternDraft("shared constant", "matrix_of_a_product_and_a_full_connection")
    x, weight = d.input(4, C), d.weight(C, C)
    yield d.done(d.node("MatMulFusion", x, weight), d.node("FullConnection", x, weight))
    d = PatternDraft("shared constant", "matrix_and_sum")
    x, weight = d.input(C, C), d.weight(C, C)
    yield d.done(d.node("MatMulFusion", x, weight), d.node("AddFusion", x, weight))
    d = PatternDraft("shared constant", "embedding_and_its_transpose")
    table, places = d.weight(6, C), d.given(np.array([3, 0, 5], np.int32))
    rows = d.node("Gather", table, places, d.constant(np.array(0, np.int32)))
    yield d.done(d.node("MatMulFusion", rows, table, transpose_b=True))
    d = PatternDraft("shared constant", "scale_and_offset")
    x, scale = d.input(2, 6, 8, C), d.weight(C, low=0.5, high=1.5)
    yield d.done(d.node("ScaleFusion", x, scale, scale, axis=-1))
    for kind in GATES:
        yield _recurrent(PatternDraft("shared constant", f"{kind.lower()}_both_ways"), kind)


def _conv(d: PatternDraft, x: str, weight: str, bias: str, stride: int, **attributes: Any) -> str:
    given: dict[str, Any] = {"kernel_size": (3, 3), "stride": (stride, stride), "pad_list": (1, 1, 1, 1)}
    given |= {"group": 1, "in_channel": C, "out_channel": C}
    return d.node("Conv2DFusion", x, weight, bias, **(given | attributes))


def _recurrent(d: PatternDraft, kind: str) -> Pattern:
    """Two layers with the same weights, one from the first step on, one from the last."""
    rows = GATES[kind] * C
    x, bias = d.input(3, 5, C), d.weight(1, 2 * rows)
    weight = d.weight(1, rows, C, low=-0.5, high=0.5)
    ways = ("forward", "reverse")
    given = (x, weight, weight, bias)
    return d.done(*[d.node(f"ai.onnx.{kind}", *given, hidden_size=C, direction=way) for way in ways])
