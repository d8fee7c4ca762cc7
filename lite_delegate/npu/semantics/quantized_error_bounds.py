"""Error bounds of quantized results, against those of the model in real numbers.

A step is the scale s of a tensor: the distance between two numbers that its integers can stand for. A product
``sum x[k] w[k] + b`` that runs on integers meets four errors:

1. each w[k] was rounded to its integer when the model was quantized: half a step of the weight, and b half a step
   of the sums, ``s_x s_w``;
2. x came from an earlier layer, off by up to e[k]: sum e[k] |w[k]| more;
3. sums are exact; requantization rounds them to a step of the result, ``rounding_steps`` of it;
4. numbers outside the range that the integers stand for are clamped. The error is known from the exact value.

A chain is bounded by taking each layer's bound as the next one's e. As for float16 such a bound grows far beyond
the actual error, and the deviations give the expected error: roundings taken as independent and uniform over a step, a
variance of ``s**2 / 12`` each.
"""

from __future__ import annotations

import numpy as np

from ...basics.data_class import dataclass
from ..device.programs.instruction import Array

MULTIPLIER_ROUNDOFF = 2.0**-31
"""Half the last bit of a factor's multiplier, relative to the factor."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The numbers that the integers of a result stand for.

    Attributes:
        scale: of one step.
        zero_point: the integer of 0.
        low: the lowest integer, a fused activation included.
        high: the highest integer.
    """

    scale: float
    zero_point: int
    low: int = -128
    high: int = 127

    def beyond(self, values: Array) -> Array:
        """The distance of real numbers from the range, 0 inside."""
        lowest, highest = ((end - self.zero_point) * self.scale for end in (self.low, self.high))
        return np.asarray(np.maximum(np.maximum(lowest - values, values - highest), 0.0))

    def stored_error(self, values: Array, error: Array | float = 0.0, steps: Array | float = 0.5) -> Array:
        """Bound on the error of ``values`` once they are stored as integers.

        Args:
            values: exact real numbers, a fused activation included.
            error: bound on the error with which they come.
            steps: how far the rounding may be off.
        """
        return np.asarray(error + np.asarray(steps) * self.scale + self.beyond(values))

    @property
    def deviation(self) -> float:
        """Standard deviation of one rounding to a step."""
        return float(self.scale / np.sqrt(12.0))


def rounding_steps(factor: Array | float) -> Array:
    """The largest error of requantization by a fixed-point factor, in steps of the result.

    Half a step for the last rounding. A factor below 1/2 has a shift to the right of r >= 1 bits, after a first
    rounding whose half is worth ``2**-(r + 1)`` steps, no more than the factor itself.
    """
    factors = np.asarray(factor, np.float64)
    return np.asarray(0.5 + np.where(factors < 0.5, factors, 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class StoredWeight:
    """A weight (K, N) as the model has it, and the steps to which it was rounded: one scale per column.

    Attributes:
        real: before it was quantized.
        scales: (N,).
        bias: (N,), before it was quantized.
    """

    real: Array
    scales: Array
    bias: Array

    def product_error(self, x: Array, error: Array, x_scale: float, out: Steps, values: Array) -> Array:
        """Bound on the error of the device's ``x @ weight + bias``, element by element.

        Args:
            x: exact left operand (..., M, K).
            error: bound on the error with which x reaches the device.
            x_scale: its step.
            out: how the result is stored.
            values: the exact result, a fused activation included.
        """
        half = np.broadcast_to(self.scales / 2, self.real.shape)
        before = error @ (np.abs(self.real) + half) + np.abs(x) @ half + x_scale * self.scales / 2
        size = np.abs(x @ self.real + self.bias) + before
        steps = rounding_steps(x_scale * self.scales / out.scale)
        return out.stored_error(values, before + MULTIPLIER_ROUNDOFF * size, steps)

    def product_deviation(self, x: Array, deviation: Array, x_scale: float, out: Steps) -> Array:
        """Standard deviation of the error of the device's ``x @ weight + bias``; nothing lies beyond the range."""
        variances = np.broadcast_to(np.square(self.scales) / 12, self.real.shape)
        operands = np.square(deviation) @ (np.square(self.real) + variances) + np.square(x) @ variances
        return np.asarray(np.sqrt(operands + np.square(x_scale * self.scales) / 12 + out.deviation**2))
