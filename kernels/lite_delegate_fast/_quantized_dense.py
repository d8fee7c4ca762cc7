"""Convolutions and matrix products on integers of 8 bits: weights packed once, sums of float32, one requantization."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import prod
from typing import Any

import numpy as np
from lite_delegate_kernels import Array, ReferenceKernel
from lite_delegate_kernels._kernel import RunFunction
from lite_delegate_kernels._quantization import BYTES, NodeQuantization
from lite_delegate_kernels._quantized_activation import clamp_fused
from lite_delegate_kernels._quantized_dense import EXACT_IN_SINGLE, ChannelAxis, zero_points

from ._requantization import BlockRequantization, requantization
from .fast_kernel import BindFunction, Inputs

PLAIN = "NO_ACTIVATION"
SPREADS = "output_paddings"
"""The attribute that transposed convolutions alone have; those with groups count channels within a group."""


def bind_quantized_dense(kernel: ReferenceKernel, channel_axis: ChannelAxis) -> BindFunction:
    """The bound functions of nodes whose weight and bias are constants; none for other nodes.

    Args:
        kernel: adds up products of real numbers, see ``quantized_dense``.
        channel_axis: where the weight has its output channels.
    """
    return partial(_bound, kernel, channel_axis)


def _bound(
    kernel: ReferenceKernel, channel_axis: ChannelAxis, inputs: Inputs, attributes: Mapping[str, Any]
) -> RunFunction | None:
    if len(inputs) < 2 or any(spec is None for spec in inputs[:2]):
        return None
    x, weight, bias = inputs[0], inputs[1], inputs[2] if len(inputs) > 2 else None
    assert x is not None
    assert weight is not None
    quantization: NodeQuantization = attributes["quantization"]
    if weight.value is None or weight.value.ndim < 2 or (bias is not None and bias.value is None):
        return None
    if quantization.is_dynamic or x.dtype_name not in BYTES:
        return None
    axis = channel_axis(weight.value.ndim, dict(attributes))
    return _packed(kernel, axis, x.dtype, weight.value, None if bias is None else bias.value, attributes)


def _packed(
    kernel: ReferenceKernel,
    axis: int,
    dtype: np.dtype[Any],
    weight: Array,
    bias: Array | None,
    attributes: Mapping[str, Any],
) -> RunFunction | None:
    quantization: NodeQuantization = attributes["quantization"]
    weights, (in_scale, in_zero), (out_scale, out_zero) = (
        quantization.input(1),
        quantization.input_per_tensor(0),
        quantization.output_per_tensor(0),
    )
    whole = weight.astype(np.int64) - zero_points(weights, weight.ndim, axis)
    channels = whole.shape[axis]
    biases = np.zeros(channels, np.int64) if bias is None else bias.astype(np.int64)
    if biases.shape != (channels,) or (SPREADS in attributes and attributes.get("group", 1) > 1):
        return None
    others = tuple(d for d in range(whole.ndim) if d != axis)
    if _adds_all(whole.shape, attributes):
        biases, in_zero = biases - in_zero * whole.sum(axis=others), 0  # sum (x - z) w = sum x w - z sum w
    reach = np.abs(whole).sum(axis=others) * _largest(dtype, in_zero)
    if reach.max(initial=0) >= EXACT_IN_SINGLE or len(weights.scales) not in (1, channels):
        return None
    activation = attributes.get("activation_type", PLAIN)
    ends = np.array([-(1 << 40), 1 << 40])
    low, high = clamp_fused(ends, activation, out_scale, out_zero, dtype).tolist()
    to_output = requantization(
        [in_scale * scale / out_scale for scale in weights.scales],
        biases,
        reach,
        (low, high),
        out_zero,
        dtype,
        quantization.input(0).round_type,
        in_single_precision=quantization.input(0).multiplier == 0,
    )
    if to_output is None or low > high:
        return None
    real = {name: value for name, value in attributes.items() if name != "quantization"} | {"activation_type": PLAIN}
    return QuantizedDense(partial(kernel.run, **real), whole.astype(np.float32), np.float32(in_zero), to_output)


def _adds_all(shape: tuple[int, ...], attributes: Mapping[str, Any]) -> bool:
    """Whether each sum has a term for each weight of its channel: no fewer terms at the edges of an image, and no
    stack of matrices.
    """
    if "pad_mode" not in attributes:
        return prod(shape[:-2]) == 1
    has_pads = attributes["pad_mode"] == "SAME" or any(attributes.get("pad_list") or ())
    return not has_pads and SPREADS not in attributes


def _largest(dtype: np.dtype[Any], zero_point: int) -> int:
    """The largest distance of an integer from its zero point."""
    limits = np.iinfo(dtype)
    return max(limits.max - zero_point, zero_point - limits.min)


class QuantizedDense:
    """One node: a function of its arrays. Safe for several threads.

    Args:
        sums: of real numbers and weights.
        weight: whole numbers.
        zero_point: of the input.
        to_output: makes integers of the sums.
    """

    def __init__(
        self, sums: RunFunction, weight: Array, zero_point: np.float32, to_output: BlockRequantization
    ) -> None:
        self._sums, self._weight, self._zero_point, self._to_output = sums, weight, zero_point, to_output

    def __call__(self, x: Array, weight: Array, bias: Array | None = None) -> Array:
        centered = x.astype(np.float32)
        if self._zero_point:
            np.subtract(centered, self._zero_point, out=centered)
        sums = np.asarray(self._sums(centered, self._weight))
        return self._to_output(sums.reshape(-1, sums.shape[-1])).reshape(sums.shape)
