"""Conformance cases of Resize, expected values pixel by pixel with exact source coordinates."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase

Size = tuple[int, int]


def _coordinate(o: int, size_in: int, size_out: int, mode: str) -> Fraction:
    if mode == "ALIGN_CORNERS":
        return Fraction(0) if size_out == 1 else Fraction(o * (size_in - 1), size_out - 1)
    if mode == "HALF_PIXEL":
        return max(Fraction(0), (o + Fraction(1, 2)) * Fraction(size_in, size_out) - Fraction(1, 2))
    return Fraction(o * size_in, size_out)


def _keys(distance: Fraction, a: float) -> float:
    t = float(abs(distance))
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a


def _taps(coordinate: Fraction, size: int, method: str, mode: str, a: float) -> list[tuple[int, float]]:
    """Source positions with their weights."""
    floor = math.floor(coordinate)
    if method == "NEAREST":
        return [(math.floor(coordinate + Fraction(1, 2)) if mode == "ALIGN_CORNERS" else floor, 1.0)]
    if method == "LINEAR":
        upper = float(coordinate - floor)
        return [(floor, 1 - upper), (min(floor + 1, size - 1), upper)]
    return [(min(max(p, 0), size - 1), _keys(coordinate - p, a)) for p in range(floor - 1, floor + 3)]


def loop(x: Array, size: Size, method: str, mode: str, a: float = 0.0) -> Array:
    """The expected values, element by element, in the dtype of ``x``."""
    n, h, w, c = x.shape
    out = np.empty((n, *size, c), dtype=x.dtype)
    for row, column in np.ndindex(*size):
        rows = _taps(_coordinate(row, h, size[0], mode), h, method, mode, a)
        columns = _taps(_coordinate(column, w, size[1], mode), w, method, mode, a)
        for b, ch in np.ndindex(n, c):
            taps = [wi * wj * float(x[b, i, j, ch]) for i, wi in rows for j, wj in columns]
            out[b, row, column, ch] = math.fsum(taps)
    return out


_SIZES: list[tuple[str, tuple[int, int, int, int], Size]] = [
    ("up_2", (1, 3, 4, 3), (6, 8)),
    ("up_odd", (2, 3, 2, 1), (7, 5)),
    ("down_2", (1, 6, 4, 2), (3, 2)),
    ("down_odd", (1, 7, 5, 1), (3, 4)),
    ("up_and_down", (1, 2, 7, 8), (5, 3)),
    ("to_one_pixel", (1, 3, 3, 7), (1, 1)),
    ("from_one_pixel", (1, 1, 1, 17), (2, 3)),
    ("same_size", (1, 2, 3, 1), (2, 3)),
]


def cases() -> Iterator[ConformanceCase]:
    """All methods by all coordinate modes over eight size changes, every form of size, float types, edge values."""
    rng = np.random.default_rng(120)
    for method, coefficients in [("LINEAR", (0.0,)), ("NEAREST", (0.0,)), ("CUBIC", (-0.75, -0.5))]:
        for mode in ("ASYMMETRIC", "ALIGN_CORNERS", "HALF_PIXEL"):
            for a in coefficients:
                for name, shape, size in _SIZES:
                    x = rng.normal(size=shape).astype(np.float32)
                    suffix = f"_{abs(a)}" if method == "CUBIC" else ""
                    yield _by_attribute(f"{method}_{mode}{suffix}_{name}".lower(), x, size, method, mode, a)
    yield from _size_inputs(rng)
    yield from _dtypes(rng)
    yield from _edges(rng)


def _by_attribute(name: str, x: Array, size: Size, method: str, mode: str, a: float = 0.0) -> ConformanceCase:
    attributes: dict[str, Any] = {
        "method": method,
        "coordinate_transform_mode": mode,
        "new_height": size[0],
        "new_width": size[1],
        "cubic_coeff": a,
    }
    half = x.dtype == np.float16
    tolerance = 0.0 if method == "NEAREST" else 2e-3 if half else 1e-5
    expected = (loop(x, size, method, mode, a),)
    return ConformanceCase(name, "Resize", (x,), expected, attributes, rtol=tolerance, atol=tolerance)


def _size_inputs(rng: np.random.Generator) -> Iterator[ConformanceCase]:
    x = rng.normal(size=(1, 3, 4, 2)).astype(np.float32)
    forms: list[tuple[str, Array, Size]] = [
        ("two_sizes", np.array([5, 6], dtype=np.int32), (5, 6)),
        ("two_sizes_int64", np.array([5, 6], dtype=np.int64), (5, 6)),
        ("four_sizes", np.array([1, 5, 6, 2], dtype=np.int32), (5, 6)),
        ("four_sizes_only_middle_counts", np.array([9, 2, 3, 9], dtype=np.int32), (2, 3)),
        ("two_factors", np.array([2.0, 0.5], dtype=np.float32), (6, 2)),
        ("four_factors", np.array([1.0, 2.0, 1.5, 1.0], dtype=np.float32), (6, 6)),
        ("factor_rounds_half_up", np.array([1.5, 1.125], dtype=np.float32), (5, 5)),
        ("factor_rounds_down", np.array([1.4, 1.1], dtype=np.float32), (4, 4)),
        ("four_factors_float16", np.array([1.0, 2.0, 0.75, 1.0], dtype=np.float16), (6, 3)),
        ("zoom_1", np.array([1], dtype=np.int32), (3, 4)),
        ("zoom_2", np.array([2], dtype=np.int32), (5, 7)),
        ("zoom_3_scalar", np.array(3, dtype=np.int32), (7, 10)),
    ]
    for name, given, size in forms:
        attributes = {"method": "LINEAR", "coordinate_transform_mode": "ALIGN_CORNERS", "new_height": 99}
        expected = (loop(x, size, "LINEAR", "ALIGN_CORNERS"),)
        yield ConformanceCase(f"size_{name}", "Resize", (x, given), expected, attributes, constants=frozenset({1}))
    given = np.array([5, 6], dtype=np.int32)
    expected = (loop(x, (5, 6), "LINEAR", "ASYMMETRIC"),)
    yield ConformanceCase("size_not_constant", "Resize", (x, given), expected)


def _dtypes(rng: np.random.Generator) -> Iterator[ConformanceCase]:
    for dtype in (
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float64",
    ):
        x = rng.integers(0, 2 if dtype == "bool" else 100, size=(1, 2, 3, 2)).astype(dtype)
        yield _by_attribute(f"nearest_{dtype}", x, (3, 2), "NEAREST", "ASYMMETRIC")
    for dtype in ("float16", "float64"):
        y = rng.normal(size=(1, 3, 4, 2)).astype(dtype)
        for method in ("LINEAR", "CUBIC"):
            yield _by_attribute(f"{method}_{dtype}".lower(), y, (5, 3), method, "HALF_PIXEL", -0.5)


def _edges(rng: np.random.Generator) -> Iterator[ConformanceCase]:
    x = rng.normal(size=(1, 2, 2, 1)).astype(np.float32)
    yield _by_attribute("empty_batch", x[:0], (3, 3), "LINEAR", "ASYMMETRIC")
    yield _by_attribute("no_channels", x[..., :0], (3, 3), "CUBIC", "HALF_PIXEL", -0.75)
    yield _by_attribute("cubic_coefficient_0", x, (5, 3), "CUBIC", "ASYMMETRIC", 0.0)
    holes = np.array([[[[np.inf], [1.0]], [[np.nan], [2.0]]]], dtype=np.float32)
    yield _by_attribute("nearest_copies_inf_and_nan", holes, (4, 3), "NEAREST", "HALF_PIXEL")
    yield ConformanceCase(
        "attributes_without_effect",
        "Resize",
        (x,),
        (loop(x, (4, 3), "NEAREST", "ASYMMETRIC"),),
        {
            "format": "NHWC",
            "method": "NEAREST",
            "new_height": 4,
            "new_width": 3,
            "exclude_outside": 1,
            "extrapolation_value": 7.0,
            "nearest_mode": "CEIL",
        },
        rtol=0,
        atol=0,
    )
