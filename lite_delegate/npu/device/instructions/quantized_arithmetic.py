"""Sums, differences and products of quantized integers, with broadcasting."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar, Self

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Axes, Instruction, Shape
from ..programs.shapes import broadcast, check_channels
from .quantized_scaling import FixedPoint, Requantization, saturated

HEADROOM = 20
"""Bits by which centered operands of a sum are shifted left before they get one scale: its rounding is 2**-20 steps."""


@dataclass(frozen=True, slots=True)
class QuantizedSum(Instruction):
    """a plus or minus b, which broadcast against each other; INT8 or UINT8.

    Each operand is centered, shifted left by ``HEADROOM`` bits and brought to a common scale; the sum is requantized.

    Attributes:
        zero_points: of a and b.
        factors: of a and b, to the common scale.
        requantization: from the sum to the result.
        subtract: a - b instead of a + b.
    """

    arity: ClassVar[Collection[int]] = (2,)
    zero_points: tuple[int, int]
    factors: tuple[FixedPoint, FixedPoint]
    requantization: Requantization
    subtract: bool = False

    def run(self, operands: Sequence[Array]) -> Array:
        left, right = (
            factor.scaled(saturated((x.astype(np.int64) - point) << HEADROOM), -1)
            for x, point, factor in zip(operands, self.zero_points, self.factors, strict=True)
        )
        return self.requantization.applied(left - right if self.subtract else left + right, -1)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        for factor in (self.requantization.factor, *self.factors):
            check_channels(1, factor.multipliers, factor.shifts)
        return broadcast(operands)

    def reordered(self, axes: Axes) -> Self:
        return self


@dataclass(frozen=True, slots=True)
class QuantizedProduct(Instruction):
    """(a - za) * (b - zb), requantized; a and b are INT8 or UINT8 and broadcast against each other.

    Attributes:
        zero_points: of a and b.
        requantization: from the product to the result.
    """

    arity: ClassVar[Collection[int]] = (2,)
    zero_points: tuple[int, int]
    requantization: Requantization

    def run(self, operands: Sequence[Array]) -> Array:
        left, right = (x.astype(np.int64) - point for x, point in zip(operands, self.zero_points, strict=True))
        return self.requantization.applied(left * right, -1)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        check_channels(1, *self.requantization.each)
        return broadcast(operands)

    def reordered(self, axes: Axes) -> Self:
        return self
