"""Between real numbers and the 8-bit integers that stand for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Instruction, Shape
from ..programs.program import ElementType
from ..programs.shapes import channel_wise
from .quantized_scaling import half_away

FAR = 2.0**31
"""Beyond every stored integer; larger numbers, infinities too, are clamped to it before they are rounded."""


@dataclass(frozen=True, slots=True)
class Quantize(Instruction):
    """``round(x / scale + zero_point)``, halves away from zero, as 8-bit integers, clamped to their range.

    NaN becomes the zero point. Either infinity becomes 255 in UINT8, as the runtime defines it.

    Attributes:
        scales: one, or one per channel.
        zero_points: as many.
        element: of the result, INT8 or UINT8.
        axis: of the channels, non-negative; looked at where there are several.
    """

    reads_format: ClassVar[bool] = False
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    element: ElementType
    axis: int = 0

    def run(self, operands: Sequence[Array]) -> Array:
        x = operands[0].astype(np.float64)
        scales, points = (_along(v, self.axis, x.ndim) for v in (self.scales, self.zero_points))
        q = half_away(np.clip(x / scales + points, -FAR, FAR))
        limits = np.iinfo(self.element.numpy)
        q = np.clip(np.where(np.isnan(q), points, q), limits.min, limits.max)
        if self.element is ElementType.UINT8:
            q = np.where(np.isinf(x), limits.max, q)
        return np.asarray(q.astype(self.element.numpy))

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        return channel_wise(operands[0], self.axis, self.scales, self.zero_points)

    def reordered(self, axes: Axes) -> Self:
        return self if len(self.scales) == 1 else replace(self, axis=axes[self.axis])


@dataclass(frozen=True, slots=True)
class Dequantize(Instruction):
    """``(x - zero_point) * scale``, float32, of integers x.

    The result is off by two roundings of float32 at most: of the scale and of the product.

    Attributes:
        scales: one, or one per channel.
        zero_points: as many.
        axis: of the channels, non-negative; looked at where there are several.
    """

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int = 0

    def run(self, operands: Sequence[Array]) -> Array:
        x = operands[0]
        scales, points = (_along(v, self.axis, x.ndim) for v in (self.scales, self.zero_points))
        return np.asarray((x.astype(np.int64) - points.astype(np.int64)).astype(np.float32) * scales.astype(np.float32))

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        return channel_wise(operands[0], self.axis, self.scales, self.zero_points)

    def reordered(self, axes: Axes) -> Self:
        return self if len(self.scales) == 1 else replace(self, axis=axes[self.axis])


def _along(values: tuple[float, ...], axis: int, rank: int) -> Array:
    array = np.array(values, np.float64)
    return array[0] if array.size == 1 else array.reshape([-1 if i == axis else 1 for i in range(rank)])
