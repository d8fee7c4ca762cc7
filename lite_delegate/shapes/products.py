"""Multiply-accumulates of products and convolutions, from shapes alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, TypeAlias

Dims: TypeAlias = Sequence[int]
Attributes: TypeAlias = Mapping[str, Any]


def convolution_products(x: Dims, weight: Dims, y: Dims, attributes: Attributes) -> int:
    """Weights have the output's channels first, (Cout, Kh, Kw, Cin / group): each output element meets the others."""
    return prod(y) * prod(weight[1:])


def transposed_convolution_products(x: Dims, weight: Dims, y: Dims, attributes: Attributes) -> int:
    """Weights have the input's channels first, (Cin, Kh, Kw, Cout / group): each input element meets them once."""
    return prod(x) * prod(weight[1:])


def matrix_products(a: Dims, b: Dims, y: Dims, attributes: Attributes) -> int:
    """Each output element is a sum as long as a row of the first operand, or a column where that is transposed."""
    if not a:
        return prod(y)
    return prod(y) * (a[-2] if attributes.get("transpose_a") and len(a) > 1 else a[-1])


PRODUCTS: Mapping[str, Callable[[Dims, Dims, Dims, Attributes], int]] = {
    "AdderFusion": convolution_products,
    "Conv2DFusion": convolution_products,
    "Conv2dTransposeFusion": transposed_convolution_products,
    "FullConnection": convolution_products,
    "MatMulFusion": matrix_products,
}
"""By operator: of the shapes of its first two inputs and its output, and its attributes."""
