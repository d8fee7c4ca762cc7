"""Conformance cases of ROIPooling, one bin at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from ..judging.case import Array, ConformanceCase


def _round(value: float) -> int:
    return math.floor(value + 0.5) if value >= 0 else -math.floor(-value + 0.5)


def _range(first: int, last: int, p: int, count: int, size: int) -> range:
    length = Fraction(max(last - first + 1, 1), count)
    start, stop = first + math.floor(p * length), first + math.ceil((p + 1) * length)
    return range(max(start, 0), min(stop, size))


def _loop(x: Array, rois: Array, bins: tuple[int, int], scale: float) -> Array:
    y = np.zeros((len(rois), *bins, x.shape[3]), dtype=x.dtype)
    for r, p, q, c in np.ndindex(*y.shape):
        x1, y1, x2, y2 = (_round(float(v) * scale) for v in rois[r, 1:])
        values = [
            float(x[int(rois[r, 0]), i, j, c])
            for i in _range(y1, y2, p, bins[0], x.shape[1])
            for j in _range(x1, x2, q, bins[1], x.shape[2])
        ]
        y[r, p, q, c] = max(values, default=0.0)
    return y


def _case(
    name: str,
    x: Array,
    rois: Sequence[Sequence[float]],
    bins: tuple[int, int] = (2, 2),
    scale: float = 1.0,
    roi_dtype: str = "float32",
) -> ConformanceCase:
    regions = np.array(rois, dtype=roi_dtype).reshape(len(rois), 5)
    attributes = {"pooled_h": bins[0], "pooled_w": bins[1], "scale": scale}
    expected = (_loop(x, regions, bins, scale),)
    return ConformanceCase(name, "ROIPooling", (x, regions), expected, attributes)


def cases() -> Iterator[ConformanceCase]:
    """Bins that share rows, regions scaled, outside, inverted and empty, images, channel counts, dtypes."""
    rng = np.random.default_rng(124)
    x = rng.normal(size=(2, 7, 9, 3)).astype(np.float32)
    yield _case("whole_image", x, [(0, 0, 0, 8, 6)])
    yield _case("wide_region_is_x_before_y", x, [(0, 1, 2, 7, 3)], (1, 3))
    yield _case("bins_share_rows", x, [(0, 0, 0, 4, 4)], (3, 3))
    yield _case("more_bins_than_pixels", x, [(1, 2, 2, 3, 3)], (4, 5))
    yield _case("one_bin", x, [(1, 1, 1, 6, 5)], (1, 1))
    yield _case("bins_7", x, [(0, 0, 0, 8, 6), (1, 1, 0, 7, 5)], (7, 7))
    yield _case("two_images", x, [(1, 0, 0, 4, 4), (0, 2, 1, 8, 6), (1, 3, 3, 5, 6)])
    yield _case("scale_a_quarter", x, [(0, 4, 8, 30, 21), (1, 1, 2, 35, 27)], (2, 3), 0.25)
    yield _case("scale_2", x, [(0, 0.5, 1, 3.5, 2.5)], (2, 2), 2.0)
    yield _case("halves_round_away_from_zero", x, [(0, 0.5, 1.5, 4.5, 3.5), (0, -0.5, -1.5, 2.5, 2.5)])
    yield _case("one_pixel_region", x, [(0, 4, 3, 4, 3)])
    yield _case("inverted_region_is_one_pixel", x, [(0, 6, 5, 2, 1)])
    yield _case("partly_outside", x, [(0, -3, -2, 4, 3), (1, 5, 4, 12, 11)], (3, 3))
    yield _case("outside_gives_zero", x, [(0, 20, 20, 25, 25), (1, -9, -9, -5, -5)])
    yield _case("negative_values", -np.abs(x), [(0, 0, 0, 8, 6)])
    for channels in (1, 7, 8, 16, 17):
        image = rng.normal(size=(1, 4, 5, channels)).astype(np.float32)
        yield _case(f"channels_{channels}", image, [(0, 0, 1, 4, 3)], (2, 3))
    yield _case("float16", x.astype(np.float16), [(0, 0, 0, 8, 6)], roi_dtype="float16")
    yield _case("float64", x.astype(np.float64), [(1, 1, 1, 8, 6)], roi_dtype="float64")
    yield _case("regions_in_float32_of_a_float16_image", x.astype(np.float16), [(1, 1, 1, 8, 6)])
    yield _case("no_regions", x, [])
    holed = x.copy()
    holed[0, 0, 0, 0], holed[0, 0, 0, 1], holed[0, :, :, 2] = np.nan, np.inf, -np.inf
    clean = _case("nan_and_infinity", holed, [(0, 0, 0, 8, 6)])
    expected = clean.outputs[0].copy()
    expected[0, 0, 0, 0] = np.nan
    yield ConformanceCase(clean.name, "ROIPooling", clean.inputs, (expected,), clean.attributes)
