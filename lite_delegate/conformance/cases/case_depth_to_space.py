"""Conformance cases of DepthToSpace, expected values by a direct loop over every input element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import OTHER_DTYPES, exact, sample


def _loop(x: Array, b: int, *, crd: bool) -> Array:
    n, h, w, c = x.shape
    left = c // (b * b)
    out = np.empty((n, h * b, w * b, left), dtype=x.dtype)
    for image, row, column, channel in np.ndindex(*x.shape):
        if crd:
            depth, cell = divmod(channel, b * b)
        else:
            cell, depth = divmod(channel, left)
        i, j = divmod(cell, b)
        out[image, row * b + i, column * b + j, depth] = x[image, row, column, channel]
    return out


def cases() -> Iterator[ConformanceCase]:
    """Both modes, blocks of 2 to 4, output channels 1 to 17, batches, odd sizes, empty, no effect of format, dtypes."""
    rng = np.random.default_rng(45)
    for name, shape, b in [
        ("one_position", (1, 1, 1, 4), 2),
        ("block_2", (1, 2, 3, 8), 2),
        ("block_3", (1, 2, 2, 9), 3),
        ("block_4_channels_3", (1, 2, 1, 48), 4),
        ("batch", (3, 2, 2, 12), 2),
        ("channels_7", (1, 3, 1, 28), 2),
        ("channels_16", (1, 1, 2, 64), 2),
        ("channels_17", (2, 1, 1, 68), 2),
        ("empty_batch", (0, 2, 2, 4), 2),
        ("no_channels", (1, 2, 2, 0), 2),
    ]:
        x = sample(rng, shape)
        for mode in ("DCR", "CRD"):
            expected = _loop(x, b, crd=mode == "CRD")
            attributes = {"block_size": b, "format": "NHWC", "mode": mode}
            yield exact("DepthToSpace", f"{name}_{mode.lower()}", (x,), (expected,), attributes)
    x = sample(rng, (1, 2, 2, 8))
    expected = _loop(x, 2, crd=False)
    yield exact("DepthToSpace", "absent_mode_is_dcr", (x,), (expected,), {"block_size": 2})
    attributes = {"block_size": 2, "format": "NCHW", "mode": "DCR"}
    yield exact("DepthToSpace", "format_has_no_effect", (x,), (expected,), attributes)
    attributes = {"block_size": 2, "mode": "something else"}
    yield exact("DepthToSpace", "unknown_mode_is_dcr", (x,), (expected,), attributes)
    for dtype in OTHER_DTYPES:
        x = sample(rng, (1, 1, 2, 8), dtype)
        yield exact("DepthToSpace", f"dtype_{dtype}", (x,), (_loop(x, 2, crd=False),), {"block_size": 2})
