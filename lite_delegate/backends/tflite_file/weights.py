"""Weights and biases of convolutions and products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...delegate import RejectCode
from ...formats.tflite.export import Quantization, TfliteTensor, tensor_type_of
from ...tensors.tensor import Array
from .node import DirectNode
from .scope import quantization_of


def weights_of(node: DirectNode, order: Sequence[int], *, channel: int, kept: int = 0) -> TfliteTensor:
    """The weights with axes in an order.

    Args:
        node: whose input 1 they are.
        order: of the axes.
        channel: the axis of the outputs' channels, behind the change of order.
        kept: the axis of the outputs' channels in front of it.

    Raises:
        NotLowered: LiteRT's kernels do not take weights of that meaning.
    """
    tensor = node.source(1)
    node.wanted(len(tensor.shape) == len(order), RejectCode.RANK, "weights of as many dimensions", f"{tensor.shape}")
    quantization = quantization_of(tensor, channel)
    if not node.is_quantized:
        fits = node.x(1).dtype == node.x().dtype
        node.wanted(fits, RejectCode.DTYPE, "weights of the input's type", f"are {node.x(1).dtype}")
        return node.builtins.transpose(node.x(1), order)
    node.wanted(tensor.is_const, RejectCode.NOT_CONSTANT, "weights on integers must be constant")
    node.wanted(quantization is not None, RejectCode.DTYPE, "weights on integers have scales")
    assert quantization is not None
    check_weights(node, tensor.dtype.name.lower(), quantization, tensor.shape[kept])
    array = tensor.data if tensor.held is None else tensor.held
    plain = list(order) == list(range(len(order)))
    laid = array if plain else np.transpose(array, order)
    return node.builtins.constant(laid, quantization, tensor.name or "weights")


def check_weights(node: DirectNode, dtype: str, quantization: Quantization, channels: int) -> None:
    """Rejects integer weights that LiteRT's kernels do not multiply by.

    Raises:
        NotLowered: of another type, with zero points, or several scales of a type that has one.
    """
    x = node.x()
    fits = {"int8": "int8", "uint8": "uint8", "int16": "int8"}.get(x.dtype) == dtype
    node.wanted(fits, RejectCode.DTYPE, "weights of int8, or of uint8 as the input", f"are {dtype} for {x.dtype}")
    several = quantization.is_per_channel
    node.wanted(not (several and dtype == "uint8"), RejectCode.DTYPE, "weights of uint8 have one scale")
    whole = len(quantization.scales) in (1, channels)
    node.wanted(whole, RejectCode.SHAPE, "one scale for each channel", f"are {len(quantization.scales)}")
    centered = dtype == "uint8" or not any(quantization.zero_points)
    node.wanted(centered, RejectCode.DTYPE, "weights of int8 have zero points of 0")


def biased(node: DirectNode, channels: int = 0) -> list[TfliteTensor]:
    """The bias, as a list that is empty without one; of integers with the scales that products have.

    It is int32, beside inputs of int16 also int64, as that of zeros is: LiteRT scales sums with either in its own way.

    Args:
        node: whose input 2 it is.
        channels: the length of a bias of zeros in place of none: LiteRT's convolutions ask for a bias.
    """
    if not node.has(2) and not channels:
        return []
    if not node.is_quantized:
        fits = not node.has(2) or node.x(2).dtype == node.x().dtype
        node.wanted(fits, RejectCode.DTYPE, "a bias of the input's type")
        return [node.x(2) if node.has(2) else node.builtins.constant(np.zeros(channels, node.x().dtype))]
    wide = "int64" if node.x().dtype == "int16" else "int32"
    array = np.zeros(channels, wide) if not node.has(2) else _integers(node, ("int32", wide))
    weight, x = quantization_of(node.source(1)), node.x().quantization
    assert weight is not None
    assert x is not None
    scales = tuple(float(np.float32(x.scales[0]) * np.float32(scale)) for scale in weight.scales)
    meaning = Quantization(scales, (0,) * len(scales), 0)
    return [node.builtins.constant(array, meaning, node.source(2).name if node.has(2) else "bias")]


def bias_type(bias: Sequence[TfliteTensor], x: TfliteTensor) -> dict[str, Any]:
    """The option that a bias of int32 has beside inputs of int16."""
    is_narrow = x.dtype == "int16" and bool(bias) and bias[0].dtype == "int32"
    return {"quantized_bias_type": tensor_type_of("int32")} if is_narrow else {}


def _integers(node: DirectNode, kinds: Sequence[str]) -> Array:
    bias = node.source(2)
    node.wanted(bias.is_const and bias.data.dtype.name in kinds, RejectCode.DTYPE, "a constant bias of int32")
    return bias.data.reshape(-1)
