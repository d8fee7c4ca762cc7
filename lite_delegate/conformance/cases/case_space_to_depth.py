"""Conformance cases of SpaceToDepth, expected values by a direct loop over every input element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import OTHER_DTYPES, exact, sample


def _loop(x: Array, b: int) -> Array:
    n, h, w, c = x.shape
    out = np.empty((n, h // b, w // b, c * b * b), dtype=x.dtype)
    for image, row, column, channel in np.ndindex(*x.shape):
        cell = row % b * b + column % b
        out[image, row // b, column // b, cell * c + channel] = x[image, row, column, channel]
    return out


def cases() -> Iterator[ConformanceCase]:
    """Blocks of 2 to 4, channels 1 to 17, batches, one block, long images, empty, every dtype."""
    rng = np.random.default_rng(142)
    for name, shape, b in [
        ("one_block", (1, 2, 2, 1), 2),
        ("block_2", (1, 4, 6, 3), 2),
        ("block_3", (1, 6, 3, 2), 3),
        ("block_4", (1, 4, 8, 1), 4),
        ("batch", (3, 2, 4, 3), 2),
        ("one_row_of_blocks", (1, 2, 10, 2), 2),
        ("one_column_of_blocks", (1, 10, 2, 2), 2),
        ("channels_7", (1, 2, 4, 7), 2),
        ("channels_8", (1, 4, 2, 8), 2),
        ("channels_16", (1, 2, 2, 16), 2),
        ("channels_17", (2, 2, 2, 17), 2),
        ("empty_batch", (0, 2, 2, 4), 2),
        ("empty_image", (1, 0, 2, 4), 2),
    ]:
        x = sample(rng, shape)
        yield exact("SpaceToDepth", name, (x,), (_loop(x, b),), {"block_size": b, "format": "NHWC"})
    for dtype in OTHER_DTYPES:
        x = sample(rng, (1, 2, 4, 3), dtype)
        yield exact("SpaceToDepth", f"dtype_{dtype}", (x,), (_loop(x, 2),), {"block_size": 2, "format": "NHWC"})
