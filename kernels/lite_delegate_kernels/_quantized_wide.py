"""Functions of int16 activations by tables of TensorFlow Lite, bit for bit: SIGMOID, TANH and Softmax."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ._fixed_point import fixed_point, scale
from ._kernel import Array, ReferenceKernel
from ._quantization import WIDE, NodeQuantization, round_half_away
from .op_softmax import single_axis

Function = Callable[..., Array]

TABLED = ("SIGMOID", "TANH")
"""Activations that have a table."""
OUTPUT_SCALE = 1 / 32768
"""The scale of results that the tables give."""
STEPS = 512
"""Intervals of a table, between which it is a line."""
LOWEST_EXPONENT = 10.0
"""Exponentials below ``exp(-10)`` count as this one."""
_RANGE = 65535.0
_TOP = 32767
_ABOVE = (
    *(4, 8, 12, 14, 15, 16, 17, 19, 20, 21, 22, 25, 27, 28, 29, 30, 31, 33, 34, 35, 37, 39, 40, 41, 43, 44, 45, 46),
    *(49, 50, 54, 62, 63, 64, 66, 82, 86, 93, 100, 103, 112, 116, 135, 255),
)
"""The entries of the table of sigmoids that are one above the nearest whole number, as the results of LiteRT's TANH at
the entries show: a test works them out again."""


def by_table(narrow: ReferenceKernel, function: Callable[[dict[str, Any]], Function | None]) -> ReferenceKernel:
    """A kernel of which some nodes on int16 are computed by tables.

    Args:
        narrow: for all other nodes.
        function: a node's attributes to the function ``(x, scale, **attributes)``; None for nodes without a table.
    """

    def run(x: Array, *, quantization: NodeQuantization, **attributes: Any) -> Any:
        found = function(attributes) if x.dtype.name == WIDE else None
        if found is None or not _fits(quantization):
            return narrow.run(x, quantization=quantization, **attributes)
        return found(x, quantization.input_per_tensor(0)[0], **attributes)

    return ReferenceKernel(
        narrow.op_type, run, narrow.output_specs, narrow.dtypes, narrow.needs_output_count, needs_quantization=True
    )


def _fits(quantization: NodeQuantization) -> bool:
    return quantization.output_per_tensor(0) == (OUTPUT_SCALE, 0) and quantization.input_per_tensor(0)[1] == 0


def activation_table(attributes: dict[str, Any]) -> Function | None:
    """The function of an Activation node."""
    return {"SIGMOID": sigmoid, "TANH": tanh}.get(attributes.get("activation_type", ""))


def softmax_table(attributes: dict[str, Any]) -> Function:
    """The function of a Softmax node."""
    return softmax


def sigmoid(x: Array, in_scale: float, **_: Any) -> Array:
    """``1 / (1 + exp(-x))`` of int16 with a scale, in units of 2**-15."""
    scaled = _in_table_units(x, in_scale, (0,))
    place, part = np.abs(scaled) >> 9, np.abs(scaled) & 0x1FF
    found = np.where(place >= 255, 0x7FFF << 10, _between(place, part, 9))
    signed = np.where(scaled >= 0, found + (1 << 9), (1 << 25) - found + (1 << 9) - 1)
    return (signed >> 10).astype(np.int16)


def tanh(x: Array, in_scale: float, **_: Any) -> Array:
    """The hyperbolic tangent of int16 with a scale, in units of 2**-15."""
    scaled = _in_table_units(x, in_scale, (0, 1))
    place, part = np.abs(scaled) >> 8, np.abs(scaled) & 0xFF
    found = np.where(place >= 255, 0xFFFF << 8, _between(place, part, 8))
    rounded = 1 << 7
    signed = np.where(scaled >= 0, found - (1 << 23) + rounded, -found + (1 << 23) + rounded - 1)
    return (signed >> 8).astype(np.int16)


def softmax(x: Array, in_scale: float, *, axis: Any = None) -> Array:
    """Softmax of int16 with a scale along an axis, in units of 2**-15."""
    place = single_axis(axis, x.ndim)
    below = x.astype(np.int64) - x.max(axis=place, keepdims=True)
    scaled = scale(below, fixed_point((in_scale / (LOWEST_EXPONENT / _RANGE),)))
    powers = _looked_up(_clamped(scaled + _TOP), _table("exp"))
    sums = powers.sum(axis=place, keepdims=True)
    bits = np.frexp(sums.astype(np.float64))[1].astype(np.int64)
    one = ((sums << (31 - bits)) + (1 << 13)) >> 14
    inverse = _looked_up(_clamped(one - (1 << 15) - (1 << 16)), _table("inverse"))
    shift = bits - 1
    shares = (powers * inverse + (np.int64(1) << (shift - 1))) >> shift
    return np.asarray(np.clip(shares, 0, _TOP)).astype(np.int16)


def _in_table_units(x: Array, in_scale: float, shifts: tuple[int, ...]) -> Array:
    """Inputs in units of 1 / (3 * 4096); a scale of 2**-12, or the double, is exact."""
    power = np.log2(in_scale) + 12
    if power in shifts:
        return x.astype(np.int64) * (3 << int(power))
    factor, shift = in_scale * 4096 * 3, 0
    while factor <= _TOP / 2 and shift <= 30:
        factor, shift = factor * 2, shift + 1
    half = (1 << shift) >> 1
    scaled: Array = (x.astype(np.int64) * int(factor) + half) >> shift
    return scaled


def _between(place: Array, part: Array, bits: int) -> Array:
    """A line between two entries of the table of sigmoids."""
    table = _sigmoids()
    low, high = table[np.minimum(place, 255)], table[np.minimum(place + 1, 255)]
    return np.asarray((low << bits) + part * (high - low))


@cache
def _sigmoids() -> Array:
    """256 sigmoids of multiples of 1/24, in units of 2**-16."""
    table = np.floor(65536 / (1 + np.exp(-np.arange(256) / 24)) + 0.5).astype(np.int64)
    table[list(_ABOVE)] += 1
    return table


def _inverse(x: Array) -> Array:
    """``1 / (1 + x)``."""
    return np.asarray(1 / (1 + x))


_FUNCTIONS: dict[str, tuple[float, float, Function]] = {
    "exp": (-LOWEST_EXPONENT, 0.0, np.exp),
    "inverse": (0.0, 1.0, _inverse),
}
"""The functions of ``_table`` on their ranges."""


@cache
def _table(name: str) -> Array:
    """513 values of a function in units of 2**-15, each lowered by half of the error in the middle of its interval."""
    low, high, function = _FUNCTIONS[name]
    starts = np.linspace(low, high, STEPS + 1)
    scaled, middles = (function(x) * 32768 for x in (starts, (starts[:-1] + starts[1:]) / 2))
    samples = round_half_away(scaled)
    line = round_half_away((scaled[1:] + samples[:-1]) / 2)
    error = round_half_away((line - round_half_away(middles)) / 2)
    return np.asarray(np.clip(np.append(samples[:-1] - error, samples[-1]), -32768, _TOP)).astype(np.int64)


def _looked_up(x: Array, table: Array) -> Array:
    """int16 numbers to a line between entries of a table."""
    place, part = 256 + (x >> 7), x & 0x7F
    low, high = table[place], table[place + 1]
    return np.asarray(low + (((high - low) * part + 64) >> 7))


def _clamped(x: Array) -> Array:
    return np.clip(x, -32768, _TOP)
