"""Conformance cases of FormatTranspose, expected values by a direct loop that places every element by letter."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import OTHER_DTYPES, exact, sample


def _loop(x: Array, source: str, target: str) -> Array:
    sizes = dict(zip(source, x.shape, strict=True))
    out = np.empty([sizes[letter] for letter in target], dtype=x.dtype)
    for place in np.ndindex(*x.shape):
        position = dict(zip(source, place, strict=True))
        out[tuple(position[letter] for letter in target)] = x[place]
    return out


def cases() -> Iterator[ConformanceCase]:
    """Images both ways, equal formats, weights, sequences, channels of every count, empty images, every dtype."""
    rng = np.random.default_rng(209)
    for name, source, target, shape in [
        ("image_to_nchw", "NHWC", "NCHW", (2, 3, 4, 5)),
        ("image_to_nhwc", "NCHW", "NHWC", (2, 3, 4, 5)),
        ("image_stays_nhwc", "NHWC", "NHWC", (2, 3, 4, 5)),
        ("image_stays_nchw", "NCHW", "NCHW", (1, 2, 1, 3)),
        ("weight_kchw_to_khwc", "KCHW", "KHWC", (4, 3, 2, 2)),
        ("weight_hwck_to_kchw", "HWCK", "KCHW", (2, 3, 4, 5)),
        ("weight_chwk_to_hwkc", "CHWK", "HWKC", (2, 3, 4, 5)),
        ("weight_ckhw_to_khwc", "CKHW", "KHWC", (2, 3, 4, 5)),
        ("sequence_to_ncw", "NWC", "NCW", (2, 5, 3)),
        ("sequence_to_nwc", "NCW", "NWC", (2, 5, 3)),
        ("volume_to_ndhwc", "NCDHW", "NDHWC", (1, 3, 2, 2, 2)),
        ("matrix_stays", "NC", "NC", (3, 2)),
        ("one_element", "NHWC", "NCHW", (1, 1, 1, 1)),
        ("empty", "NHWC", "NCHW", (0, 3, 4, 5)),
        *((f"channels_{c}", "NHWC", "NCHW", (1, 2, 3, c)) for c in (1, 3, 7, 8, 16, 17)),
    ]:
        x = sample(rng, shape)
        attributes = {"src_format": source, "dst_format": target}
        yield exact("FormatTranspose", name, (x,), (_loop(x, source, target),), attributes)
    x = sample(rng, (1, 2, 3, 2))
    yield exact("FormatTranspose", "defaults_change_nothing", (x,), (x,), source="hand")
    attributes = {"src_format": "NHWC", "dst_format": "NCHW"}
    for dtype in OTHER_DTYPES:
        x = sample(rng, (1, 2, 2, 3), dtype)
        yield exact("FormatTranspose", f"dtype_{dtype}", (x,), (_loop(x, "NHWC", "NCHW"),), attributes)
