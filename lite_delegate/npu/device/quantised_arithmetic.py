"""Sums, differences and products of quantised integers, with broadcasting."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from .instruction import Array, Axes, Instruction, Shape
from .quantised_scaling import FixedPoint, Requantisation, saturated
from .shapes import broadcast, check_channels

HEADROOM = 20
"""Bits by which centred operands of a sum are shifted left before they get one scale: its rounding is 2**-20 steps."""


@dataclass(frozen=True, slots=True)
class QuantisedSum(Instruction):
    """a plus or minus b, which broadcast against each other; INT8 or UINT8.

    Each operand is centred, shifted left by ``HEADROOM`` bits and brought to a common scale; the sum is requantised.

    Attributes:
        zero_points: of a and b.
        factors: of a and b, to the common scale.
        requantisation: from the sum to the result.
        subtract: a - b instead of a + b.
    """

    arity: ClassVar[Collection[int]] = (2,)
    zero_points: tuple[int, int]
    factors: tuple[FixedPoint, FixedPoint]
    requantisation: Requantisation
    subtract: bool = False

    def run(self, operands: Sequence[Array]) -> Array:
        left, right = (
            factor.scaled(saturated((x.astype(np.int64) - point) << HEADROOM), -1)
            for x, point, factor in zip(operands, self.zero_points, self.factors, strict=True)
        )
        return self.requantisation.applied(left - right if self.subtract else left + right, -1)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        for factor in (self.requantisation.factor, *self.factors):
            check_channels(1, factor.multipliers, factor.shifts)
        return broadcast(operands)

    def reordered(self, axes: Axes) -> Self:
        return self


@dataclass(frozen=True, slots=True)
class QuantisedProduct(Instruction):
    """(a - za) * (b - zb), requantised; a and b are INT8 or UINT8 and broadcast against each other.

    Attributes:
        zero_points: of a and b.
        requantisation: from the product to the result.
    """

    arity: ClassVar[Collection[int]] = (2,)
    zero_points: tuple[int, int]
    requantisation: Requantisation

    def run(self, operands: Sequence[Array]) -> Array:
        left, right = (x.astype(np.int64) - point for x, point in zip(operands, self.zero_points, strict=True))
        return self.requantisation.applied(left * right, -1)

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        check_channels(1, *self.requantisation.each)
        return broadcast(operands)

    def reordered(self, axes: Axes) -> Self:
        return self
