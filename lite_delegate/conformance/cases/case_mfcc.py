"""Conformance cases of Mfcc, one frequency at a time, each adding to the band below and the band above it."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def _mel(hertz: float) -> float:
    return 1127 * math.log(1 + hertz / 700)


def _bands(values: list[float], rate: float, low: float, high: float, count: int) -> list[float]:
    """Each frequency lies between two centers; the nearer one gets the larger share of its magnitude."""
    edges = [_mel(low) + (_mel(high) - _mel(low)) * k / (count + 1) for k in range(count + 2)]
    per_bin = rate / 2 / (len(values) - 1)
    bands = [0.0] * count
    for i in range(math.floor(1.5 + low / per_bin), math.floor(high / per_bin) + 1):
        mel, magnitude = _mel(i * per_bin), math.sqrt(values[i])
        lower = max((k for k in range(count + 1) if edges[k] <= mel), default=0)
        share = (edges[lower + 1] - mel) / (edges[lower + 1] - edges[lower])
        # Edge k is the center of band k - 1.
        if lower >= 1:
            bands[lower - 1] += share * magnitude
        if lower < count:
            bands[lower] += (1 - share) * magnitude
    return bands


def _loop(x: Array, rate: float, low: float, high: float, count: int, coefficients: int) -> Array:
    y = np.empty((*x.shape[:2], coefficients), dtype=x.dtype)
    for c, w in np.ndindex(*x.shape[:2]):
        bands = _bands([float(v) for v in x[c, w]], rate, low, high, count)
        logs = [math.log(max(b, 1e-12)) for b in bands]
        for i in range(coefficients):
            total = math.fsum(v * math.cos(math.pi / count * i * (j + 0.5)) for j, v in enumerate(logs))
            y[c, w, i] = math.sqrt(2 / count) * total
    return y


def _case(
    name: str,
    x: Array,
    rate: int = 16000,
    limits: tuple[float, float] = (20.0, 4000.0),
    count: int = 10,
    coefficients: int = 6,
    rank: int = 0,
    rate_dtype: str = "int32",
) -> ConformanceCase:
    attributes = {
        "freq_lower_limit": limits[0],
        "freq_upper_limit": limits[1],
        "filter_bank_channel_num": count,
        "dct_coeff_num": coefficients,
    }
    inputs = (x, np.full((1,) * rank, rate, dtype=rate_dtype))
    expected = (_loop(x, rate, *limits, count, coefficients),)
    tolerance = {"float16": 3e-3, "float64": 1e-9}.get(x.dtype.name, 2e-5)
    return ConformanceCase(
        name, "Mfcc", inputs, expected, attributes, frozenset({1}), rtol=tolerance, atol=tolerance * 10
    )


def cases() -> Iterator[ConformanceCase]:
    """Rates, limits, numbers of bands and coefficients, silence, more bands than bins, dtypes, empty arrays."""
    rng = np.random.default_rng(95)
    x = (rng.uniform(size=(2, 3, 33)) * 5).astype(np.float32)
    yield _case("usual", x)
    yield _case("rate_8000", x, 8000)
    yield _case("rate_44100", x, 44100)
    yield _case("upper_limit_is_half_the_rate", x, 8000, (20.0, 4000.0))
    yield _case("upper_limit_low", x, limits=(20.0, 1500.0))
    yield _case("lower_limit_0", x, limits=(0.0, 4000.0))
    yield _case("lower_limit_just_below_a_bin_leaves_it_out", x, limits=(200.0, 4000.0))
    yield _case("lower_limit_high", x, limits=(1000.0, 6000.0))
    yield _case("as_many_coefficients_as_bands", x, count=8, coefficients=8)
    yield _case("one_coefficient", x, coefficients=1)
    yield _case("one_band", x, count=1, coefficients=1)
    yield _case("bands_without_bins", x, count=40, coefficients=13)
    yield _case("silence", np.zeros((1, 2, 17), dtype=np.float32))
    yield _case("two_bins", x[:, :, :2], 1000, (20.0, 500.0), 2, 2)
    yield _case("bins_129", (rng.uniform(size=(1, 2, 129)) * 5).astype(np.float32), count=40, coefficients=13)
    yield _case("rate_of_rank_1", x, rank=1)
    yield _case("rate_float32", x, 22050, rate_dtype="float32")
    yield _case("float16", x.astype(np.float16))
    yield _case("float64", x.astype(np.float64))
    yield _case("no_windows", x[:, :0])
    yield _case("no_channels", x[:0])
    negative = x.copy()
    negative[0, 1, 5] = -1
    clean = _case("root_of_a_negative_value_is_nan", np.abs(negative))
    expected = clean.outputs[0].copy()
    expected[0, 1] = np.nan
    yield ConformanceCase(
        clean.name, "Mfcc", (negative, clean.inputs[1]), (expected,), clean.attributes, frozenset({1}), 2e-5, 2e-4
    )
