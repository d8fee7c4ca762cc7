"""Errors of outputs, in numbers that can be compared between operators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from lite_delegate_kernels import Array

from ..basics.data_class import dataclass

_Number = TypeVar("_Number", int, float)


@dataclass(frozen=True, slots=True)
class Errors:
    """The distance between outputs and expected outputs, over the elements that are finite in both.

    Attributes:
        max_abs: the largest absolute difference; 0 when there is no such element.
        max_rel: the largest difference relative to the expected value, where that is not 0; None without such elements.
        max_ulp: the largest number of floating-point numbers of the expected dtype that lie between the two, one
            of the ends counted; None without floats.
        snr_db: signal-to-noise ratio, 10 log10(sum(want^2) / sum((got - want)^2)) in dB: the lowest of the outputs;
            infinite when exact; None without elements, or when an output is infinite or NaN where it must not be.
    """

    max_abs: float
    max_rel: float | None
    max_ulp: int | None
    snr_db: float | None


def measure(outputs: Sequence[Array], expected: Sequence[Array]) -> Errors:
    """The errors of outputs that have the dtypes and shapes of the expected ones."""
    pairs = list(zip(outputs, expected, strict=True))
    chosen = [(got[fits], want[fits]) for got, want in pairs for fits in [np.isfinite(got) & np.isfinite(want)]]
    return Errors(
        max_abs=max((float(_distance(got, want).max(initial=0.0)) for got, want in chosen), default=0.0),
        max_rel=_largest([_relative(got, want) for got, want in chosen]),
        max_ulp=_largest([_ulps(got, want) for got, want in chosen]),
        snr_db=_lowest([_snr(got, want) for got, want in chosen])
        if all(_agree(got, want) for got, want in pairs)
        else None,
    )


def snr_db(got: Array, want: Array) -> float | None:
    """The signal-to-noise ratio of one output in dB, see ``Errors``."""
    if not _agree(got, want):
        return None
    fits = np.isfinite(want)
    return _snr(got[fits], want[fits])


def _agree(got: Array, want: Array) -> bool:
    """True when both are infinite or NaN at the same places, in the same way."""
    odd = ~(np.isfinite(got) & np.isfinite(want))
    return bool(np.array_equal(got[odd], want[odd], equal_nan=want.dtype.kind == "f"))


def _distance(got: Array, want: Array) -> Array:
    """The absolute difference in float64; of integers without overflow."""
    if want.dtype.kind in "iu":
        high, low = np.maximum(got, want), np.minimum(got, want)
        return np.asarray((high - low).view(f"u{want.dtype.itemsize}").astype(np.float64))
    with np.errstate(over="ignore"):
        return np.asarray(np.abs(got.astype(np.float64) - want.astype(np.float64)))


def _relative(got: Array, want: Array) -> float | None:
    known = want != 0
    if not known.any():
        return None
    got, want = got[known], want[known]
    with np.errstate(over="ignore", divide="ignore"):
        ratios = _distance(got, want) / np.abs(want.astype(np.float64))
        far = np.isinf(ratios) & (want.dtype.kind == "f")
        ratios[far] = _distance(got[far] / 4, want[far] / 4) / np.abs(want[far] / 4)
        return float(ratios.max())


def _ulps(got: Array, want: Array) -> int | None:
    if want.dtype.kind != "f" or want.size == 0:
        return None
    a, b = _ordered(got), _ordered(want)
    return int((np.maximum(a, b) - np.minimum(a, b)).view(f"u{want.dtype.itemsize}").max())


def _ordered(x: Array) -> Array:
    """Integers in the order of the floats, neighbors one apart, both zeros 0."""
    bits = x.view(f"i{x.dtype.itemsize}")
    return np.where(bits < 0, np.iinfo(bits.dtype).min - bits, bits)


def _snr(got: Array, want: Array) -> float | None:
    if want.size == 0:
        return None
    if not np.isfinite(_distance(got, want)).all():
        got, want = got / 4, want / 4  # changes no ratio, and their difference is in the range of float64
    noise, signal = _log_norm(_distance(got, want)), _log_norm(want.astype(np.float64))
    return math.inf if noise == -math.inf else 20 * (signal - noise)


def _log_norm(x: Array) -> float:
    """log10 of the root of the sum of squares, scaled so that no square leaves the range; minus infinite for zeros."""
    largest = float(np.abs(x).max())
    return math.log10(largest) + math.log10(float(np.square(x / largest).sum())) / 2 if largest else -math.inf


def _largest(values: Sequence[_Number | None]) -> _Number | None:
    return max((v for v in values if v is not None), default=None)


def _lowest(values: Sequence[float | None]) -> float | None:
    return min((v for v in values if v is not None), default=None)
