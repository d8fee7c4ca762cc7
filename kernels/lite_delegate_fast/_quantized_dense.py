"""Convolutions and matrix products on integers of 8 bits: weights packed once, sums of float32 that become integers
block by block.

Around an image lies the zero point ``z``, so a sum of ``(x - z) w`` is one of ``x w`` less ``z`` times the sum of all
``w``: a part of the bias. Sums that float32 might not hold are made in parts, which float64 adds up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from lite_delegate_kernels import Array, ArraySpec, ReferenceKernel
from lite_delegate_kernels._kernel import RunFunction
from lite_delegate_kernels._quantization import BYTES, NodeQuantization
from lite_delegate_kernels._quantized_dense import EXACT_IN_SINGLE, ChannelAxis, zero_points

from ._requantization import limits_of, requantization
from ._row_blocks import Finish, Sums, finish_rows
from .fast_kernel import BindFunction, Inputs

PLAIN = "NO_ACTIVATION"
MATRICES = "MatMulFusion"
"""The operator both of whose operands may vary."""
SPREADS = "output_paddings"
"""The attribute that transposed convolutions alone have; those with groups count channels within a group."""
MakeSums: TypeAlias = Callable[[Array, Sequence[slice], int, Mapping[str, Any]], "Sums | None"]
"""Given a weight of whole numbers in float32, the ranges of its terms whose sums are exact, what lies around an image,
and the attributes: what adds up, with the zero point where an image ends; None for other nodes.
"""


def bind_quantized_dense(
    kernel: ReferenceKernel, channel_axis: ChannelAxis, make_sums: MakeSums | None
) -> BindFunction:
    """The bound functions of nodes whose weight and bias are constants; none for other nodes.

    Args:
        kernel: adds up products of real numbers, see ``quantized_dense``.
        channel_axis: where the weight has its output channels.
        make_sums: makes what adds up in blocks; None: ``kernel`` does, all at once.
    """
    return partial(_bound, kernel, channel_axis, make_sums)


def _bound(
    kernel: ReferenceKernel,
    channel_axis: ChannelAxis,
    make_sums: MakeSums | None,
    inputs: Inputs,
    attributes: Mapping[str, Any],
) -> RunFunction | None:
    if len(inputs) < 2 or any(spec is None for spec in inputs[:2]):
        return None
    x, weight, bias = inputs[0], inputs[1], inputs[2] if len(inputs) > 2 else None
    assert x is not None
    assert weight is not None
    quantization: NodeQuantization = attributes["quantization"]
    if quantization.is_dynamic or x.dtype_name not in BYTES:
        return None
    if kernel.op_type == MATRICES and weight.value is None and bias is None:
        return _varying(kernel, x.dtype, weight, attributes)
    if weight.value is None or weight.value.ndim < 2 or (bias is not None and bias.value is None):
        return None
    axis = channel_axis(weight.value.ndim, dict(attributes))
    whole = weight.value.astype(np.int64) - zero_points(quantization.input(1), weight.value.ndim, axis)
    channels = whole.shape[axis]
    biases = np.zeros(channels, np.int64) if bias is None else np.asarray(bias.value, np.int64)
    if biases.shape != (channels,):
        return None
    dense = _Dense(x.dtype, whole, biases, axis, attributes)
    return (None if make_sums is None else dense.in_blocks(make_sums)) or dense.at_once(kernel)


class QuantizedDense:
    """One node: a function of its arrays. Safe for several threads.

    Args:
        sums: of the integers and the weight.
        finish: makes integers of the sums.
    """

    def __init__(self, sums: Sums, finish: Finish) -> None:
        self._sums, self._finish = sums, finish

    def __call__(self, x: Array, weight: Array, bias: Array | None = None) -> Array:
        return self._sums(x, x.dtype, self._finish)


class QuantizedProduct:
    """The product of two operands that vary, one scale each. Safe for several threads.

    Args:
        run: adds up products of real numbers.
        zero_points: of both.
        finish: makes integers of the sums ``(R, 1)``.
    """

    def __init__(self, run: RunFunction, zero_points: tuple[int, int], finish: Finish) -> None:
        self._run, self._finish = run, finish
        self._zero_points = [np.float32(each) for each in zero_points]

    def __call__(self, a: Array, b: Array) -> Array:
        left, right = (np.subtract(x, z, dtype=np.float32) for x, z in zip((a, b), self._zero_points, strict=True))
        sums = np.asarray(self._run(left, right))
        results = np.empty(sums.shape, a.dtype)
        finish_rows(sums.reshape(-1, 1), results.reshape(-1, 1), self._finish)
        return results


def _varying(
    kernel: ReferenceKernel, dtype: np.dtype[Any], weight: ArraySpec, attributes: Mapping[str, Any]
) -> QuantizedProduct | None:
    quantization: NodeQuantization = attributes["quantization"]
    if not weight.known or weight.dtype_name not in BYTES or not quantization.input(1).is_per_tensor:
        return None
    (_, a_zero), (_, b_zero) = quantization.input_per_tensor(0), quantization.input_per_tensor(1)
    terms = max(weight.shape or (), default=1)
    largest = np.array([terms * _furthest(dtype, a_zero) * _furthest(weight.dtype, b_zero)])
    finish = _finish(attributes, largest, np.zeros(1, np.int64), dtype)
    if finish is None or largest[0] >= EXACT_IN_SINGLE:
        return None
    return QuantizedProduct(partial(kernel.run, **_real(attributes)), (a_zero, b_zero), finish)


def _furthest(dtype: np.dtype[Any], zero_point: int) -> int:
    """The largest distance of an integer from its zero point."""
    limits = np.iinfo(dtype)
    return int(max(limits.max - zero_point, zero_point - limits.min))


def _real(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of the kernel of real numbers, which only adds up."""
    real = {name: value for name, value in attributes.items() if name != "quantization"}
    return {**real, "activation_type": PLAIN}


@dataclass(frozen=True, slots=True, eq=False)
class _Dense:
    """The numbers of a node.

    Attributes:
        dtype: of its activations.
        weight: whole numbers, less their zero points.
        biases: ``(C,)``, whole numbers.
        axis: the dimension of the weight that counts output channels.
        attributes: the node's.
    """

    dtype: np.dtype[Any]
    weight: Array
    biases: Array
    axis: int
    attributes: Mapping[str, Any]

    @property
    def zero_point(self) -> int:
        """Of the activations that the node reads."""
        quantization: NodeQuantization = self.attributes["quantization"]
        return quantization.input_per_tensor(0)[1]

    def in_blocks(self, make_sums: MakeSums) -> QuantizedDense | None:
        """The function whose sums are made of integers as they are."""
        by_channel = np.moveaxis(self.weight, self.axis, 0).reshape(len(self.biases), -1)
        limits = np.iinfo(self.dtype)
        largest = max(limits.max, -limits.min) * np.abs(by_channel)
        parts = exact_parts(largest)
        sums = make_sums(self.weight.astype(np.float32), parts, self.zero_point, self.attributes)
        biases = self.biases - self.zero_point * by_channel.sum(axis=1)
        finish = _finish(self.attributes, largest.sum(axis=1), biases, self.dtype)
        return None if sums is None or finish is None else QuantizedDense(sums, finish)

    def at_once(self, kernel: ReferenceKernel) -> QuantizedDense | None:
        """The function whose sums the kernel of real numbers makes of what the integers are above their zero point."""
        others = tuple(d for d in range(self.weight.ndim) if d != self.axis)
        largest = np.abs(self.weight).sum(axis=others) * _furthest(self.dtype, self.zero_point)
        spreads_groups = SPREADS in self.attributes and self.attributes.get("group", 1) > 1
        finish = _finish(self.attributes, largest, self.biases, self.dtype)
        if finish is None or spreads_groups or largest.max(initial=0) >= EXACT_IN_SINGLE:
            return None
        run, weight = partial(kernel.run, **_real(self.attributes)), self.weight.astype(np.float32)
        return QuantizedDense(partial(_all_at_once, run, weight, np.float32(self.zero_point)), finish)


def _finish(attributes: Mapping[str, Any], largest_sums: Array, biases: Array, dtype: np.dtype[Any]) -> Finish | None:
    """What makes integers of sums; None where it is not sure to give the reference's."""
    quantization: NodeQuantization = attributes["quantization"]
    (in_scale, _), (out_scale, zero_point) = quantization.input_per_tensor(0), quantization.output_per_tensor(0)
    scales = quantization.input(1).scales
    low, high = limits_of(attributes, dtype)
    if low > high or len(scales) not in (1, len(biases)):
        return None
    return requantization(
        [in_scale * scale / out_scale for scale in scales],
        biases,
        largest_sums,
        (low, high),
        zero_point,
        quantization.input(0).round_type,
        in_single_precision=quantization.input(0).multiplier == 0,
    )


def exact_parts(largest: Array) -> list[slice]:
    """Ranges of terms whose sums float32 holds exactly.

    Args:
        largest: ``(C, K)``, what no product exceeds.
    """
    terms = largest.shape[1]
    for count in range(1, terms + 1):
        parts = [slice(terms * i // count, terms * (i + 1) // count) for i in range(count)]
        if max(largest[:, part].sum(axis=1).max(initial=0) for part in parts) < EXACT_IN_SINGLE:
            return parts
    return [slice(0, terms)]


def _all_at_once(
    run: RunFunction, weight: Array, zero_point: np.float32, x: Array, dtype: np.dtype[Any], finish: Finish
) -> Array:
    centered = x.astype(np.float32)
    if zero_point:
        np.subtract(centered, zero_point, out=centered)
    sums = np.asarray(run(centered, weight))
    results, channels = np.empty(sums.shape, dtype), sums.shape[-1]
    finish_rows(sums.reshape(-1, channels), results.reshape(-1, channels), finish)
    return results
