"""Convolutions and matrix products on integers: exact sums, then one fixed-point factor per output channel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._fixed_point import fixed_point, scale, scale_long, scale_once
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._quantization import BYTES, STORED, WIDE, NodeQuantization, Quantization
from ._quantized_activation import clamp_fused

ChannelAxis = Callable[[int, dict[str, Any]], int]
"""Rank of the weight and the node's attributes, to the dimension of the weight that counts output channels."""
Terms = Callable[[tuple[int, ...], dict[str, Any]], int]
"""Shape of the weight and the node's attributes, to the most products that one output element adds up."""

EXACT_IN_SINGLE = 1 << 24
"""Whole numbers up to this are exact in float32, in whatever order they are added."""


def quantized_dense(
    reference: ReferenceKernel, channel_axis: ChannelAxis, terms: Terms, *, once: bool = False
) -> ReferenceKernel:
    """The integer form of a float kernel that adds up products of ``x`` and ``weight``.

    ``q = clamp(round((sum((x - zx) * (w - zw[k])) + bias[k]) * s_x * s_w[k] / s_y) + zy)``. The float kernel works out
    the sums, exactly: they are whole numbers below 2**24 in float32, else below 2**53 in float64. Padding is the
    real number 0.

    Args:
        reference: ``run(x, weight, bias, **attributes)`` with the attribute ``activation_type``; the output's last
            dimension is that of the channels.
        channel_axis: where the weight has its output channels.
        terms: how many products a sum has.
        once: whether sums of wide activations are rounded once, by the whole factor.

    The kernel takes ``x`` and ``weight`` int8 or uint8, ``bias`` int32 or None (scale ``s_x * s_w[k]``), one scale for
    ``x`` and for the output, one or one per output channel for the weight; it gives the dtype of ``x``. Beside
    ``x`` int16, whose zero point is 0, ``weight`` may be int16, and ``bias`` int64.

    NOTE: TensorFlow Lite scales the sums of int16 by a shorter factor, unless the bias is int32.
    """

    def run(
        x: Array, weight: Array, bias: Array | None = None, *, quantization: NodeQuantization, **attributes: Any
    ) -> Array:
        weights = quantization.input(1)
        widest = 255 if x.dtype.name in BYTES else 1 << 15
        exact = np.float32 if terms(weight.shape, attributes) * widest * widest < EXACT_IN_SINGLE else np.float64
        _, zero_point = quantization.input_per_tensor(0)
        centered = np.subtract(x, exact(zero_point), dtype=exact)
        points = zero_points(weights, weight.ndim, channel_axis(weight.ndim, attributes))
        kernels = np.subtract(weight, points.astype(exact), dtype=exact)
        sums = reference.run(centered, kernels, None, **{**attributes, "activation_type": "NO_ACTIVATION"})
        return _to_output(
            np.asarray(sums), bias, quantization, attributes.get("activation_type", "NO_ACTIVATION"), x.dtype, once
        )

    def infer(
        x: ArraySpec,
        weight: ArraySpec,
        bias: ArraySpec | None = None,
        *,
        quantization: NodeQuantization,
        **attributes: Any,
    ) -> ArraySpec:
        _check(x, weight, bias, quantization)
        floats = [None if s is None else ArraySpec(np.dtype(np.float32), s.shape) for s in (x, weight, bias)]
        spec = reference.infer(*floats, **attributes)
        assert isinstance(spec, ArraySpec)
        if weight.shape is not None:
            _check_channels(quantization.input(1), channel_axis(len(weight.shape), attributes), weight.shape, spec)
        return ArraySpec(x.dtype, spec.shape)

    return ReferenceKernel(reference.op_type, run, infer, STORED, needs_quantization=True)


def _to_output(
    sums: Array,
    bias: Array | None,
    quantization: NodeQuantization,
    activation_type: str,
    dtype: np.dtype[Any],
    once: bool,
) -> Array:
    x, out_scale, out_zero_point = quantization.input(0), *quantization.output_per_tensor(0)
    total = sums.astype(np.int64)
    if bias is not None:
        total += bias
    in_scale = quantization.input_per_tensor(0)[0]
    factors = tuple(in_scale * s / out_scale for s in quantization.input(1).scales)
    factor = fixed_point(factors, x.multiplier == 0)
    if dtype.name == WIDE and (once or bias is None or bias.dtype != np.int32):
        scaled = scale_once(total, factor) if once else scale_long(total, factor)
    else:
        scaled = scale(total, factor, x.round_type)
    return clamp_fused(scaled + out_zero_point, activation_type, out_scale, out_zero_point, dtype)


def zero_points(weights: Quantization, rank: int, axis: int) -> Array:
    """The zero points of a weight, in a shape that broadcasts along the dimension of the output channels."""
    points = np.array(weights.zero_points, np.int64)
    if (points == points[0]).all():
        return np.asarray(points[0])
    return points.reshape([-1 if i == axis else 1 for i in range(rank)])


def _check(x: ArraySpec, weight: ArraySpec, bias: ArraySpec | None, quantization: NodeQuantization) -> None:
    is_wide = x.dtype.name == WIDE
    weights, biases = (("int8", WIDE), ("int32", "int64")) if is_wide else (BYTES, ("int32",))
    for name, spec, allowed in (("x", x, STORED), ("weight", weight, weights), ("bias", bias, biases)):
        if spec is not None and spec.dtype.name not in allowed:
            raise KernelInputError(f"{name} must be one of {', '.join(allowed)}, got {spec.dtype.name}")
    for name, (_, zero_point) in (
        ("x", quantization.input_per_tensor(0)),
        ("the output", quantization.output_per_tensor(0)),
    ):
        if is_wide and zero_point:
            raise KernelInputError(f"{name} of int16 must have a zero point of 0, has {zero_point}")
    if min(quantization.input(1).scales) <= 0:
        raise KernelInputError("weight must have positive scales")


def _check_channels(weights: Quantization, axis: int, shape: tuple[int, ...], out: ArraySpec) -> None:
    count = len(weights.scales)
    channels = out.shape[-1] if out.shape else 1
    if count > 1 and channels != count:
        raise KernelInputError(f"weight must have 1 or {channels} scales, one per output channel, has {count}")
    if len(set(weights.zero_points)) > 1 and shape[axis] != count:
        raise KernelInputError(
            f"zero points of a weight that differ must be as many as its dimension {axis}, {shape[axis]}, got {count}"
        )
