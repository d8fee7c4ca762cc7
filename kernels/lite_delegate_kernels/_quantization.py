"""The meaning of integers: scales and zero points, and the way between integers and real numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._kernel import Array, KernelInputError
from ._line import line

BYTES = ("int8", "uint8")
"""The element types of quantized weights, and of most quantized activations."""
WIDE = "int16"
"""The element type of wide activations; their weights have 8 bits, and their zero points are 0."""
STORED = (*BYTES, WIDE)
"""The element types of quantized activations."""
_FAR = 2.0**31
"""Beyond every integer that is stored; infinities are brought here before they are rounded."""


@dataclass(frozen=True, slots=True)
class Quantization:
    """``real = (q - zero_point) * scale``, for a whole tensor or for each of its channels.

    Attributes:
        scales: one, or one per channel.
        zero_points: as many.
        round_type: how an integer product is rounded when it is scaled: 1 half away from zero, 2 half up, any
            other down. Looked at in a node's first input.
        multiplier: 0: factors are rounded to single precision before they become fixed-point numbers; looked at in
            a node's first input.
    """

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    round_type: int = 1
    multiplier: int = 1

    def __repr__(self) -> str:
        return line(self, "scales", "zero_points", "round_type", "multiplier")

    @property
    def is_per_tensor(self) -> bool:
        """True when there is one scale for all elements."""
        return len(self.scales) == 1

    def stands_for_the_same(self, other: Quantization) -> bool:
        """True when an integer means the same number in both."""
        return self.scales == other.scales and self.zero_points == other.zero_points


@dataclass(frozen=True, slots=True)
class NodeQuantization:
    """The quantization of a node's inputs and outputs by position, None where a tensor is not quantized.

    Positions that are missing at the end count as None.

    Attributes:
        is_dynamic: inputs bring their quantization along when the model runs, outputs are real numbers.
    """

    inputs: tuple[Quantization | None, ...]
    outputs: tuple[Quantization | None, ...]
    is_dynamic: bool = False

    def __repr__(self) -> str:
        return line(self, "inputs", "outputs", "is_dynamic")

    def input(self, position: int) -> Quantization:
        """The quantization of an input; raises KernelInputError where it has none."""
        return _present(self.inputs, position, "input")

    def output(self, position: int) -> Quantization:
        """The quantization of an output; raises KernelInputError where it has none."""
        return _present(self.outputs, position, "output")

    def input_per_tensor(self, position: int) -> tuple[float, int]:
        """Scale and zero point of an input; raises KernelInputError unless there is one of each."""
        return per_tensor(self.input(position), f"input {position}")

    def output_per_tensor(self, position: int) -> tuple[float, int]:
        """Scale and zero point of an output; raises KernelInputError unless there is one of each."""
        return per_tensor(self.output(position), f"output {position}")


def _present(found: tuple[Quantization | None, ...], position: int, kind: str) -> Quantization:
    quantization = found[position] if position < len(found) else None
    if quantization is None:
        raise KernelInputError(f"{kind} {position} must have quantization parameters")
    return quantization


def per_tensor(quantization: Quantization, name: str) -> tuple[float, int]:
    """The one scale and zero point; raises KernelInputError where there are several, or the scale is not positive."""
    if not quantization.is_per_tensor:
        raise KernelInputError(f"{name} must have one scale, has {len(quantization.scales)}")
    if not 0 < quantization.scales[0] < np.inf:
        raise KernelInputError(f"{name} must have a positive scale, has {quantization.scales[0]}")
    return quantization.scales[0], quantization.zero_points[0]


def round_half_away(x: Array) -> Array:
    """Rounded to the nearest whole number, halves away from zero, as C's ``round``; exact in any precision."""
    whole = np.trunc(x)
    rounded: Array = whole + np.trunc((x - whole) * 2)
    return rounded


def dequantize(q: Array, quantization: Quantization, axis: int = 0) -> Array:
    """The real numbers, float32, that integers stand for.

    Args:
        q: integers of any shape.
        quantization: per channel: one scale for each index along ``axis``.
        axis: not negative.
    """
    scales, zero_points = _along(quantization, q.ndim, axis)
    centered = np.subtract(q, zero_points, dtype=np.int64 if q.dtype.itemsize > 2 else np.int32)
    y: Array = centered.astype(np.float32) * scales.astype(np.float32)
    return y


def quantize(x: Array, quantization: Quantization, dtype: np.dtype[Any], axis: int = 0) -> Array:
    """``round(x / scale + zero_point)``, halves away from zero, clamped to ``dtype``; NaN counts as 0.

    Args:
        x: real numbers of any shape.
        quantization: per channel: one scale for each index along ``axis``.
        dtype: int8, uint8 or int16.
        axis: not negative.
    """
    scales, zero_points = _along(quantization, x.ndim, axis)
    with np.errstate(all="ignore"):
        q = round_half_away(np.clip(x / scales + zero_points, -_FAR, _FAR))
    return to_stored(np.where(np.isnan(q), zero_points, q), dtype)


def to_stored(q: Array, dtype: np.dtype[Any]) -> Array:
    """Whole numbers, clamped to the range of ``dtype``."""
    limits = np.iinfo(dtype)
    return np.asarray(np.clip(q, limits.min, limits.max)).astype(dtype)


def requantize(q: Array, source: Quantization, target: Quantization) -> Array:
    """The integers that stand for the same numbers in another quantization, in the dtype of ``q``; both per tensor."""
    if source.stands_for_the_same(target):
        return q
    (scale, zero_point), (new_scale, new_zero_point) = per_tensor(source, "input"), per_tensor(target, "output")
    scaled = (q.astype(np.float64) - zero_point) * (scale / new_scale)
    return to_stored(round_half_away(scaled) + new_zero_point, q.dtype)


def _along(quantization: Quantization, rank: int, axis: int) -> tuple[Array, Array]:
    """Scales (float64) and zero points (int64) in a shape that broadcasts along ``axis``."""
    shape = () if quantization.is_per_tensor else tuple(-1 if i == axis else 1 for i in range(rank))
    scales = np.array(quantization.scales, np.float64).reshape(shape)
    return scales, np.array(quantization.zero_points, np.int64).reshape(shape)
